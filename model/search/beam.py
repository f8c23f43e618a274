"""Beam search, sentence by sentence in one batch (Vaswani et al. 2017, section 6.1; Wu et al. 2016, section 7).

Each step ranks the extensions of all live hypotheses and looks at the best 2·beam of them: the first `beam` that go on
are kept, those that end are finished. A sentence's search ends when no live hypothesis can still enter the n best, and
its rows leave the batch then; no sentence's outcome depends on its neighbours.

`N` sentences, `b` rows (the same number for every sentence; R = N · b in all), `V` vocabulary.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.sentence import Extension, Node, SentenceSearch
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Prediction
from headscope.model.search.words import Words

LEAST = -1e4
"""Log-probabilities below it are those of what is impossible: the exponential is 0."""


@runtime_checkable
class Stepper(Protocol):
    """A model as a search sees it: it reads one piece a row and says how probable each next piece is."""

    def step(self, pieces: Int[Tensor, " R"]) -> Float[Tensor, "R V"]:
        """Log-probabilities of the piece that follows, in nats."""
        ...

    def select(self, rows: Int[Tensor, " r"], sentences: Int[Tensor, " n"] | None) -> None:
        """Go on with these rows, in this order, and with these sentences alone (None: all of them)."""
        ...


def beam_search(
    stepper: Stepper,
    *,
    start: int,
    end: int,
    longest: Sequence[int],
    settings: SearchSettings,
    constraints: Constraints = FREE,
    words: Words | None = None,
    alternatives: int = 0,
) -> list[SentenceSearch]:
    """Search translations of a batch of sentences.

    Args:
        stepper: the model, with one row a sentence.
        start: the piece that every hypothesis reads first.
        end: the piece that finishes one.
        longest: of each sentence, the greatest number of pieces of a translation, end of sentence counted.
        constraints: what the translation of every sentence must and may not be.
        words: those of the settings, in the model's pieces.
        alternatives: next pieces of every live hypothesis that the trace remembers, with the entropy of all; 0: none,
            and no entropy.
    """
    searches = [SentenceSearch(end, limit, settings, words) for limit in longest]
    active, looked_at = list(range(len(searches))), 2 * settings.beam
    pieces, place = torch.full((len(active),), start), 0
    while active:
        log_probs = stepper.step(pieces).unflatten(0, (len(active), -1))
        going = [searches[sentence] for sentence in active]
        required = constraints.required(place)
        banned = [search.forbidden(constraints) for search in going] if constraints.forbidden or words else []
        allowed = permitted(log_probs, banned, required)
        live = [search.totals() for search in going]
        top = likeliest(allowed, looked_at)
        best = _extensions(top, live, looked_at, forced=required is not None)
        excluded = [[]] * len(going)
        if allowed is not log_probs:
            denied = log_probs.masked_fill(allowed > -math.inf, -math.inf)
            excluded = _extensions(likeliest(denied, looked_at), live, looked_at)
        if words and required is None:
            excluded = [_notable(*each, constraints) for each in zip(going, excluded, best, strict=True)]
            best = [
                _with_words(search, found, allowed[index], top.pieces[index, :, 0].tolist(), words)
                for index, (search, found) in enumerate(zip(going, best, strict=True))
            ]
        expected = [()] * len(going)
        if alternatives:
            found = allowed is log_probs and alternatives == looked_at
            expected = predictions(log_probs, top if found else likeliest(log_probs, alternatives))
        for search, totals, extensions, ruled_out, known in zip(going, live, best, excluded, expected, strict=True):
            search.advance(
                extensions,
                excluded=ruled_out,
                predictions=known[: len(totals)],
            )
        place += 1
        staying = [index for index, search in enumerate(going) if not search.done]
        if not staying:
            break
        width = log_probs.shape[1]
        rows, following = _next_rows([(index, going[index].live) for index in staying], width, settings.beam)
        dropped = len(staying) < len(active)
        stepper.select(torch.tensor(rows), torch.tensor(staying) if dropped else None)
        active = [active[index] for index in staying]
        pieces = torch.tensor(following)
    return searches


class Likeliest(NamedTuple):
    """The most probable next pieces of every row, best first."""

    log_probs: Float[Tensor, "N b k"]
    pieces: Int[Tensor, "N b k"]


def likeliest(log_probs: Float[Tensor, "N b V"], count: int) -> Likeliest:
    """So many of them, or all that there are."""
    return Likeliest(*log_probs.topk(min(count, log_probs.shape[-1]), dim=-1))


def best_extensions(
    top: Likeliest, totals: Float[Tensor, "N b"], count: int
) -> tuple[Int[Tensor, "N c"], Int[Tensor, "N c"], Float[Tensor, "N c"]]:
    """The `count` extensions of highest total a sentence, best first: their rows, pieces and log-probabilities.

    They are found among the `count` likeliest of every row. Totals are summed in float64. Those that are impossible
    (-inf) stand last.
    """
    per_row, pieces = top
    joint = (totals[:, :, None] + per_row).flatten(1)  # of float64, as totals are
    order = joint.topk(min(count, joint.shape[1]), dim=1).indices
    row = order // per_row.shape[-1]
    return row, pieces.flatten(1).gather(1, order), per_row.flatten(1).gather(1, order)


def permitted(
    log_probs: Float[Tensor, "N b V"], forbidden: Sequence[Sequence[Collection[int]]], required: int | None
) -> Float[Tensor, "N b V"]:
    """The same log-probabilities, but -inf where a piece may not be written.

    Args:
        forbidden: behind every live row of every sentence; nothing at all where none is.
        required: the piece that is prescribed, whatever is forbidden.
    """
    if required is not None:
        alone = torch.full_like(log_probs, -math.inf)
        alone[..., required] = log_probs[..., required]
        return alone
    banned = [
        (sentence, row, piece)
        for sentence, rows in enumerate(forbidden)
        for row, pieces in enumerate(rows)
        for piece in pieces
    ]
    if not banned:
        return log_probs
    limited = log_probs.clone()
    limited[tuple(zip(*banned, strict=True))] = -math.inf
    return limited


def predictions(log_probs: Float[Tensor, "N b V"], top: Likeliest) -> list[list[Prediction]]:
    """What is expected after each row of each sentence: its most probable pieces `top`, and the entropy of all."""
    best, pieces = top
    # What is impossible has no part in the entropy; 0 · -inf would be no number, and torch.special.entr takes longer.
    entropy = -torch.linalg.vecdot(log_probs.exp(), log_probs.clamp(min=LEAST))
    rest = (1 - best.double().exp().sum(-1)).clamp(min=0)
    table = zip(*(part.flatten(0, 1).tolist() for part in (entropy, pieces, best, rest)), strict=True)
    width = log_probs.shape[1]
    rows = [
        Prediction(entropy, tuple(pieces[:possible]), tuple(best[:possible]), rest)
        for entropy, pieces, best, rest in table
        for possible in [len(best) - best.count(-math.inf)]
    ]
    return [rows[first : first + width] for first in range(0, len(rows), width)]


def _totals(live: Sequence[Sequence[float]], rows: Int[Tensor, "N b k"]) -> Float[Tensor, "N b"]:
    # Rows that stand beside a sentence's live hypotheses without being any have -inf.
    width = rows.shape[1]
    padded = [[*totals, *[-math.inf] * (width - len(totals))] for totals in live]
    return torch.tensor(padded, dtype=torch.float64, device=rows.device)


def _notable(
    search: SentenceSearch, excluded: list[Extension], best: Sequence[Extension], constraints: Constraints
) -> list[Extension]:
    """Those that would have been looked at without the words, or are ruled out one by one. (The end of sentence is
    ruled out at every step until all words are there.)"""
    paths, totals = search.paths(), search.totals()
    least = min((totals[e.row] + e.log_prob for e in best), default=-math.inf)
    told = ((e, (*paths[e.row], e.piece) in constraints.forbidden) for e in excluded)
    return [e for e, one in told if one or totals[e.row] + e.log_prob >= least]


def _with_words(
    search: SentenceSearch, best: list[Extension], allowed: Float[Tensor, "b V"], likely: Sequence[int], words: Words
) -> list[Extension]:
    """The best extensions of a sentence, and those that its words need: every live hypothesis with the pieces that
    write the words it lacks, and with the likeliest piece, so that those go on which have written more of them."""
    written, totals = search.written(), search.totals()
    needed = {(row, piece): True for row, each in enumerate(written) for piece in words.put_forward(each)}
    if not needed:
        return best
    needed = {(row, likely[row]): False for row in range(len(written))} | needed
    for row, piece, *_ in best:
        needed.pop((row, piece), None)
    if not needed:
        return best
    rows, pieces = zip(*needed, strict=True)
    found = zip(needed.items(), allowed[list(rows), list(pieces)].tolist(), strict=True)
    more = [Extension(row, piece, value, forced) for ((row, piece), forced), value in found if value > -math.inf]
    return sorted(best + more, key=lambda e: -(totals[e.row] + e.log_prob))


def _extensions(
    top: Likeliest, live: Sequence[Sequence[float]], count: int, *, forced: bool = False
) -> list[list[Extension]]:
    table = (part.tolist() for part in best_extensions(top, _totals(live, top.pieces), count))
    return [
        [
            Extension(*extension, forced=forced)
            for extension in zip(*columns, strict=True)
            if extension[2] > -math.inf and extension[0] < len(totals)
        ]
        for totals, *columns in zip(live, *table, strict=True)
    ]


def _next_rows(live: list[tuple[int, list[Node]]], width: int, beam: int) -> tuple[list[int], list[int]]:
    # Every sentence gets `beam` rows; where fewer hypotheses live, the last one's row is repeated and never looked at.
    rows, pieces = [], []
    for index, nodes in live:
        for node in nodes + [nodes[-1]] * (beam - len(nodes)):
            rows.append(index * width + node.row)
            pieces.append(node.piece)
    return rows, pieces
