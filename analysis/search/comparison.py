"""Where two searches of one sentence part. No torch here."""

from dataclasses import dataclass

from headscope.model.search.trace import SearchTrace


@dataclass(frozen=True, slots=True)
class SearchComparison:
    """Two searches, A and B, side by side. Places are from 0; None: they do not differ."""

    step: int | None
    """The first step after which their live hypotheses differ, as far down as the narrower of both beams goes, or of
    which one is the last and the other is not."""
    piece: int | None
    """The first piece in which their best translations differ; the end of sentence counts as one."""
    log_prob_difference: float | None
    """Of the best translations, B minus A; None: one of the searches has none."""
    score_difference: float | None
    """The same of the scores. It means something where both have the same length penalty."""


def compare_searches(a: SearchTrace, b: SearchTrace) -> SearchComparison:
    """Find the first step and the first piece in which two searches differ."""
    both = bool(a.hypotheses and b.hypotheses)
    return SearchComparison(
        step=_first_step(a, b),
        piece=_first_piece(a, b),
        log_prob_difference=b.hypotheses[0].total - a.hypotheses[0].total if both else None,
        score_difference=b.hypotheses[0].score - a.hypotheses[0].score if both else None,
    )


def _first_step(a: SearchTrace, b: SearchTrace) -> int | None:
    for number, (ours, theirs) in enumerate(zip(_live(a), _live(b), strict=False)):
        common = min(len(ours), len(theirs))
        if ours[:common] != theirs[:common] or (common == 0 and ours != theirs):
            return number
    shorter = min(len(a.steps), len(b.steps))
    return shorter - 1 if len(a.steps) != len(b.steps) else None


def _live(trace: SearchTrace) -> list[list[tuple[int, ...]]]:
    """The live hypotheses after each step."""
    found: list[list[tuple[int, ...]]] = [[()]]
    for step in trace.steps:
        found.append([(*found[-1][c.parent], c.piece) for c in step.kept])
    return found[1:]


def _first_piece(a: SearchTrace, b: SearchTrace) -> int | None:
    if not a.hypotheses or not b.hypotheses:
        return None if a.hypotheses == b.hypotheses else 0
    ours, theirs = ([*h.pieces, *[None] * h.finished] for h in (a.hypotheses[0], b.hypotheses[0]))
    if ours == theirs:
        return None
    alike = [x == y for x, y in zip(ours, theirs, strict=False)]
    return alike.index(False) if False in alike else len(alike)
