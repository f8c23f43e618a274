"""Translations drawn at random, piece by piece (ancestral sampling), as a trace like that of a search.

`R` rows, one a sample that is still being written, `V` vocabulary.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from headscope.model.search.beam import Stepper, likeliest, permitted, predictions
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.sentence import Node, forbidden_after, frozen, written_by
from headscope.model.search.settings import Sampling
from headscope.model.search.trace import Bound, Ending, Fate, Prediction, SearchTrace
from headscope.model.search.words import Words

ROUNDING = 1e-6
"""By which the sum of a distribution of float32 logits may miss a top-p that it reaches."""


def sample(
    stepper: Stepper,
    *,
    start: int,
    end: int,
    longest: int,
    sampling: Sampling,
    penalty: LengthPenalty,
    constraints: Constraints = FREE,
    words: Words | None = None,
    alternatives: int = 0,
) -> SearchTrace:
    """Draw translations of one sentence.

    Log-probabilities are the model's own, whatever they were drawn with; that is in `Candidate.drawn`. The hypotheses
    are all samples, by score. None comes back where the constraints leave nothing to draw from.

    Args:
        stepper: the model, with one row.
        start, end, longest, constraints, alternatives: as in `beam_search`.
        words: those that must not appear. No piece is drawn that completes one, though a longer word might follow.
        penalty: what scores are made with.
    """
    generator = torch.Generator().manual_seed(sampling.seed)
    steps: list[list[Node]] = []
    expected: list[tuple[Prediction, ...]] = []
    pieces, writing = torch.tensor([start]), True
    parents: list[Node | None] = [None]
    while writing:
        place = len(steps)
        log_probs = stepper.step(pieces)[None]
        expected.append(tuple(predictions(log_probs, likeliest(log_probs, alternatives))[0]) if alternatives else ())
        # What has once been drawn cannot be taken back, so a word that must not appear is not even begun to its end.
        banned = [forbidden_after(node, constraints, words) for node in parents]
        allowed = permitted(log_probs, [banned], constraints.required(place))[0].double().cpu()
        rows = [row for row in range(len(parents)) if allowed[row].max() > -torch.inf]
        nodes = []
        for row, piece, drawn in _draw(allowed, rows if place else rows * sampling.count, sampling, generator):
            parent, log_prob = parents[row], float(log_probs[0, row, piece])
            total = log_prob + (parent.total if parent else 0.0)
            fate = Fate.FINISHED if piece == end else Fate.CUT_OFF if place + 1 == longest else Fate.KEPT
            forced = constraints.required(place) is not None
            score = penalty.score(total, place + 1)
            written = words and words.after(written_by(parent, words), piece)
            nodes.append(
                Node(place, row, parent, piece, log_prob, total, score, fate, forced, drawn=drawn, written=written)
            )
        steps.append(nodes)
        live = [node for node in nodes if node.fate is Fate.KEPT]
        writing = bool(live)
        if writing:
            stepper.select(torch.tensor([node.row for node in live]), None)
            pieces, parents = torch.tensor([node.piece for node in live]), [*live]
    ends = sorted((n for nodes in steps for n in nodes if n.fate is not Fate.KEPT), key=lambda n: -n.score)
    ending = Ending.LENGTH if any(n.fate is Fate.CUT_OFF for n in ends) else Ending.EXHAUSTED
    return SearchTrace(frozen(steps, expected), tuple(n.hypothesis() for n in ends), Bound(ending, None, None))


def _draw(
    allowed: Float[Tensor, "R V"], rows: list[int], sampling: Sampling, generator: torch.Generator
) -> list[tuple[int, int, float]]:
    """For each of these rows: itself, the piece drawn, and the log-probability with which it was drawn."""
    if not rows:
        return []
    chances = drawing_log_probs(allowed[rows], sampling)
    pieces = torch.multinomial(chances.exp(), 1, generator=generator)
    return list(zip(rows, pieces[:, 0].tolist(), chances.gather(1, pieces)[:, 0].tolist(), strict=True))


def drawing_log_probs(log_probs: Float[Tensor, "R V"], sampling: Sampling) -> Float[Tensor, "R V"]:
    """The distribution that pieces are drawn from: tempered, then the best `top_k`, then the nucleus, renormalised."""
    log_probs = (log_probs / sampling.temperature).log_softmax(-1)
    if sampling.top_k is not None and sampling.top_k < log_probs.shape[-1]:
        # By rank, not by value: of equal pieces the first stay, so that there are never more than `top_k`.
        best = log_probs.sort(dim=-1, descending=True, stable=True).indices[:, : sampling.top_k]
        inside = torch.zeros_like(log_probs, dtype=torch.bool).scatter(-1, best, True)
        log_probs = log_probs.masked_fill(~inside, -torch.inf).log_softmax(-1)
    if sampling.top_p < 1:
        ordered, order = log_probs.sort(dim=-1, descending=True, stable=True)
        before = ordered.exp().cumsum(-1).roll(1, -1)
        before[:, 0] = -torch.inf  # the most probable piece stays, however small `top_p` is
        # .7 and .2 make up .9, though their sum in floating point is below it.
        outside = torch.zeros_like(log_probs, dtype=torch.bool).scatter(-1, order, before >= sampling.top_p - ROUNDING)
        log_probs = log_probs.masked_fill(outside, -torch.inf).log_softmax(-1)
    return log_probs
