"""The most probable translation, found for certain: depth-first search with a bound (Stahlberg & Byrne 2019, "On NMT
Search Errors and Model Errors: Cat Got Your Tongue?").

Log-probabilities only fall along a hypothesis, so one that is no more probable than a complete translation already
known cannot lead to a better one. Length penalties play no part.

`R` rows, `V` vocabulary.
"""

import time
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.search.beam import Stepper
from headscope.model.search.trace import Hypothesis
from headscope.model.search.words import Words, Written

ROWS = 16
"""Hypotheses that are read side by side. Later ones are read in vain where an earlier one leads to a better bound."""


@runtime_checkable
class BranchingStepper(Stepper, Protocol):
    """A stepper that can be gone on with in several directions, one after the other."""

    def branch(self, rows: Int[Tensor, " r"]) -> "BranchingStepper":
        """One that goes on with these rows; this one stays as it is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What an exact search may cost at most."""

    nodes: int = 10_000
    """Hypotheses whose continuations are computed."""
    seconds: float | None = None
    """By the clock. A search that ends by it may end elsewhere the next time."""

    def __post_init__(self) -> None:
        if self.nodes < 1 or (self.seconds is not None and not self.seconds > 0):
            raise HeadscopeError(f"a budget of {self.nodes} nodes and {self.seconds} seconds leaves nothing to search")


@dataclass(frozen=True, slots=True)
class ExactResult:
    """What an exact search has found. Scores are plain log-probabilities."""

    best: Hypothesis | None
    """The most probable translation if `proven`, else the most probable one seen; None: none ended."""
    proven: bool
    """False: the budget was spent before everything else was ruled out."""
    empty: float
    """Log-probability of the empty translation; -inf where that may not be."""
    nodes: int
    """Hypotheses whose continuations were computed."""
    seconds: float


@dataclass(frozen=True, slots=True)
class _Child:
    piece: int
    log_prob: float
    total: float


@dataclass(frozen=True, slots=True)
class _Branch:
    """A hypothesis that the stepper has read in one of its rows, and its children that are still to be read."""

    stepper: BranchingStepper
    row: int
    pieces: tuple[int, ...]
    log_probs: tuple[float, ...]
    children: list[_Child]
    """The most probable one last."""
    written: Written | None
    """Of the words that a translation must and must not contain; None: there are none."""


class _DepthFirst:
    def __init__(self, end: int, longest: int, opening: int, known: Hypothesis | None, words: Words | None) -> None:
        self.end, self.longest, self.opening, self.words = end, longest, opening, words
        self.best, self.empty, self.nodes = known, -torch.inf, 0

    @property
    def bound(self) -> float:
        """What a hypothesis must exceed."""
        return self.best.total if self.best else -torch.inf

    def read(self, stepper: BranchingStepper, parent: _Branch | None, pieces: list[_Child]) -> list[_Branch]:
        """Let a stepper read children of one parent, a row each; what may come of them, the best one last."""
        log_probs = stepper.step(torch.tensor([child.piece for child in pieces])).double().cpu()
        self.nodes += len(pieces)
        found = []
        for row, child in enumerate(pieces):
            path = (*parent.pieces, child.piece) if parent else ()
            costs = (*parent.log_probs, child.log_prob) if parent else ()
            written = self._written(parent, child.piece)
            possible = self._possible(log_probs[row], written)
            self._finish(path, costs, child.total, float(possible[self.end]))
            if len(path) + 1 < self.longest:  # else there is no room for another piece and the end of sentence
                found.append(_Branch(stepper, row, path, costs, self._children(possible, child.total), written))
        return found[::-1]

    def _written(self, parent: _Branch | None, piece: int) -> Written | None:
        if self.words is None:
            return None
        return self.words.begin if parent is None else self.words.after(parent.written or self.words.begin, piece)

    def _possible(self, log_probs: Float[Tensor, " V"], written: Written | None) -> Float[Tensor, " V"]:
        if self.words is None or written is None or not (forbidden := self.words.forbidden_after(written)):
            return log_probs
        return log_probs.index_fill(0, torch.tensor([*forbidden]), -torch.inf)

    def _finish(self, pieces: tuple[int, ...], log_probs: tuple[float, ...], total: float, last: float) -> None:
        total += last
        if len(pieces) == self.opening:
            self.empty = total
        if total > self.bound:
            self.best = Hypothesis(pieces, (*log_probs, last), total, total, finished=True)

    def _children(self, log_probs: Float[Tensor, " V"], total: float) -> list[_Child]:
        log_probs = log_probs.clone()
        log_probs[self.end] = -torch.inf
        pieces = (log_probs + total > self.bound).nonzero()[:, 0]
        pieces = pieces[log_probs[pieces].argsort()]
        found = zip(pieces.tolist(), log_probs[pieces].tolist(), strict=True)
        return [_Child(piece, log_prob, total + log_prob) for piece, log_prob in found]

    def open(self, branch: _Branch) -> bool:
        """Whether one of its children may still lead to something better."""
        return bool(branch.children) and branch.children[-1].total > self.bound

    def next(self, branch: _Branch, most: int) -> list[_Child]:
        """Its most probable children that may still lead to something better, at most `most` and `ROWS`."""
        found = []
        while len(found) < min(most, ROWS) and self.open(branch):
            found.append(branch.children.pop())
        return found


def most_probable(
    stepper: BranchingStepper,
    *,
    start: int,
    end: int,
    longest: int,
    budget: Budget,
    opening: int = 0,
    known: Hypothesis | None = None,
    words: Words | None = None,
    progress: Progress | None = None,
) -> ExactResult:
    """The most probable of all translations of at most `longest` pieces, end of sentence counted.

    Args:
        stepper: the model, with one row.
        opening: number of pieces that the stepper prescribes; a translation of no others is empty.
        words: that a translation must and must not contain.
        known: a finished translation, such as that of beam search: the better it is, the less is left to search.
        progress: is told how many hypotheses of the budget are spent; the proof may come at any of them.
    """
    progress = progress or Silent()
    begun = time.perf_counter()
    search = _DepthFirst(end, longest, opening, known, words)
    stack = search.read(stepper, None, [_Child(start, 0.0, 0.0)])
    while stack:
        progress.update(search.nodes, budget.nodes)
        parent, left = stack[-1], budget.nodes - search.nodes
        if not search.open(parent):
            stack.pop()
            continue
        spent = budget.seconds is not None and time.perf_counter() - begun >= budget.seconds
        if spent or not left:
            break
        children = search.next(parent, left)
        branch = parent.stepper.branch(torch.full((len(children),), parent.row))
        stack += search.read(branch, parent, children)
    return ExactResult(search.best, not stack, search.empty, search.nodes, time.perf_counter() - begun)
