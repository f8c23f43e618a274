"""What a study of positions shows at a glance, for the gallery: findings that its intervals bear."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headscope.analysis.positions.length_record import Mean
from headscope.app.wire.axes import KIND_LABELS

if TYPE_CHECKING:
    from headscope.analysis.positions.study import PositionStudy
    from headscope.analysis.positions.study_record import ChangeEffect

CLEAR = 0.5
"""Mean weight from which a head is said to look at a distance."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One card."""

    key: str
    title: str
    figure: str
    beside: str
    link: str
    """What the way to the view is called."""
    query: dict[str, str]
    """Parameters of the view beyond checkpoint and sentence."""


def findings(study: "PositionStudy") -> tuple[Finding, ...]:
    """Those that the study has; none without a number."""
    return (*_shift(study), *_sides(study), *_head(study))


def _shift(study: "PositionStudy") -> Iterator[Finding]:
    before, after = (_change(study, name) for name in ("unchanged", "shifted by 1"))
    if before is None or after is None or not (before.decoded and after.decoded and after.difference):
        return
    cost = after.difference
    told = _bounds(cost)[0] > 0
    yield Finding(
        "shift",
        "It notices when all stands one position further on" if told else "One position further on: no cost to be told",
        f"BLEU {before.decoded.bleu.value:.1f} → {after.decoded.bleu.value:.1f}",
        f"A piece of the reference costs {_nats(cost)} more, over {study.sentences:,} sentences whose source and "
        "target both begin at position 1. All distances stay.",
        "Shift a sentence",
        {"p.view": "what_if", "p.how": "offset", "p.by": "1", "p.sides": "both"},
    )


def _sides(study: "PositionStudy") -> Iterator[Finding]:
    source, target = (_change(study, f"no positions of the {side}") for side in ("source", "target"))
    if source is None or target is None or not (source.difference and target.difference):
        return
    (low, high), (least, most) = _bounds(source.difference), _bounds(target.difference)
    title = "Without positions of one side"
    if low > most:
        title = "It needs the source's positions more than the target's"
    elif least > high:
        title = "It needs the target's positions more than the source's"
    yield Finding(
        "sides",
        title,
        f"{source.difference.value:+.2f} and {target.difference.value:+.2f} nats a piece",
        f"Without positions of the source a piece costs {_nats(source.difference)} more, without those of the target "
        f"{_nats(target.difference)}, over {study.sentences:,} sentences.",
        "See what other changes cost",
        {"p.view": "changes"},
    )


def _head(study: "PositionStudy") -> Iterator[Finding]:
    found = [
        (mean, head, at)
        for head in study.heads
        if head.kind != "cross"
        for at, (distance, mean) in enumerate(zip(study.distances, head.mean, strict=True))
        if mean is not None and distance
    ]
    mean, head, at = max(found, key=lambda each: each[0], default=(0.0, None, 0))
    if head is None or mean < CLEAR:
        return
    distance, place = study.distances[at], f"{KIND_LABELS[head.kind]} {head.layer + 1}.{head.head + 1}"
    count, way = abs(distance), "back" if distance < 0 else "ahead"
    yield Finding(
        "head",
        f"{place} looks {count} {'token' if count == 1 else 'tokens'} {way}",
        f"Mean weight {mean:.2f}",
        f"Of its links at distance {distance:+d}, with a deviation of {head.deviation[at] or 0:.2f} over "
        f"{head.links[at]:,} links between words.".replace("-", "−"),
        "See all heads by distance",
        {"p.view": "heads", "kind": head.kind, "layer": str(head.layer + 1), "head": str(head.head + 1)},
    )


def _change(study: "PositionStudy", name: str) -> "ChangeEffect | None":
    return next((each for each in study.changes if each.change == name), None)


def _bounds(mean: Mean) -> tuple[float, float]:
    half = float("inf") if mean.interval is None else mean.interval
    return mean.value - half, mean.value + half


def _nats(mean: Mean) -> str:
    half = "" if mean.interval is None else f" ± {mean.interval:.3f}"
    return f"{mean.value:.3f}{half} nats".replace("-", "−")
