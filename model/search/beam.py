"""Beam search, sentence by sentence in one batch (Vaswani et al. 2017, section 6.1; Wu et al. 2016, section 7).

Each step ranks the extensions of all live hypotheses and looks at the best 2·beam of them: the first `beam` that go on
are kept, those that end are finished. A sentence's search ends when no live hypothesis can still enter the n best, and
its rows leave the batch then; no sentence's outcome depends on its neighbours.

`N` sentences, `R` rows (the same number for every sentence), `V` vocabulary.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from model.errors import HeadscopeError
from model.search.penalty import LengthPenalty
from model.search.trace import Bound, Candidate, Ending, Fate, Hypothesis, SearchTrace, Step


@runtime_checkable
class Stepper(Protocol):
    """A model as a search sees it: it reads one piece a row and says how probable each next piece is."""

    def step(self, pieces: Int[Tensor, " R"]) -> Float[Tensor, "R V"]:
        """Log-probabilities of the piece that follows, in nats."""
        ...

    def select(self, rows: Int[Tensor, " r"], sentences: Int[Tensor, " n"] | None) -> None:
        """Go on with these rows, in this order, and with these sentences alone (None: all of them)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How to search. The defaults are the paper's."""

    beam: int = 4
    """Hypotheses kept a step; 1 is greedy search: the most probable piece each time, until the end of sentence."""
    n_best: int = 1
    penalty: LengthPenalty = field(default_factory=LengthPenalty)
    extra_length: int = 50
    """A translation may have this many pieces more than its source, end of sentence counted in the translation."""
    longest: int | None = None
    """Nor may it have more than so many in all."""
    finish: Literal["any", "top"] = "any"
    """Which of the 2·beam best candidates may end: any of them (tensor2tensor), or the first `beam` (fairseq, Hugging
    Face, CTranslate2), where the others are pruned."""

    def __post_init__(self) -> None:
        for name, value, least in (
            ("beam", self.beam, 1),
            ("n-best", self.n_best, 1),
            ("extra length", self.extra_length, 0),
            ("longest", self.longest, 1),
        ):
            if value is not None and value < least:
                raise HeadscopeError(f"{name} {value} is too small: choose at least {least}")
        if self.n_best > self.beam:
            raise HeadscopeError(
                f"n-best {self.n_best} needs a beam of at least as many, not {self.beam}: raise it or ask for fewer"
            )


@dataclass(slots=True, eq=False)
class _Node:
    """A candidate whose fate is still open."""

    step: int
    row: int
    parent: "_Node | None"
    piece: int
    log_prob: float
    total: float
    score: float
    fate: Fate = Fate.KEPT
    margin: float | None = None

    def frozen(self) -> Candidate:
        return Candidate(
            self.step, self.row, self.piece, self.log_prob, self.total, self.score, self.fate, margin=self.margin
        )

    def hypothesis(self) -> Hypothesis:
        path = []
        node: _Node | None = self
        while node is not None:
            path.append(node)
            node = node.parent
        path.reverse()
        finished = self.fate is Fate.FINISHED
        return Hypothesis(
            pieces=tuple(n.piece for n in (path[:-1] if finished else path)),
            log_probs=tuple(n.log_prob for n in path),
            total=self.total,
            score=self.score,
            finished=finished,
        )


class SentenceSearch:
    """The search of one sentence: its live hypotheses, the finished ones, and all that was looked at."""

    def __init__(self, end: int, longest: int, settings: SearchSettings) -> None:
        self._end = end
        self._longest = longest
        self._settings = settings
        self._steps: list[list[_Node]] = []
        self._live: list[_Node] = []
        self._finished: list[_Node] = []
        self._bound: Bound | None = None

    @property
    def live(self) -> list[_Node]:
        """Hypotheses that go on, best first."""
        return self._live

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return self._bound is not None

    def totals(self) -> list[float]:
        """Log-probability of each live hypothesis; 0 for the empty one that every search starts from."""
        return [node.total for node in self._live] if self._steps else [0.0]

    def advance(self, rows: Sequence[int], pieces: Sequence[int], log_probs: Sequence[float]) -> None:
        """Take the best extensions, best total first: the row that each extends, the piece, and its log-probability."""
        step = len(self._steps)
        parents: Sequence[_Node | None] = self._live if self._steps else [None]
        nodes = []
        for row, piece, log_prob in zip(rows, pieces, log_probs, strict=True):
            parent = parents[row]
            total = log_prob + (parent.total if parent else 0.0)
            score = self._settings.penalty.score(total, step + 1)
            nodes.append(_Node(step, row, parent, piece, log_prob, total, score))
        self._steps.append(nodes)
        self._live = []
        for rank, node in enumerate(nodes):
            if node.piece == self._end and (rank < self._settings.beam or self._settings.finish == "any"):
                self._finish(node)
            elif node.piece != self._end and len(self._live) < self._settings.beam:
                self._live.append(node)
            else:
                last = nodes[self._settings.beam - 1] if node.piece == self._end else self._live[-1]
                node.fate = Fate.PRUNED
                node.margin = node.score - last.score
        self._close(step + 1)

    def _finish(self, node: _Node) -> None:
        node.fate = Fate.FINISHED
        self._finished.append(node)
        self._finished.sort(key=lambda n: -n.score)
        if len(self._finished) > self._settings.n_best:
            out = self._finished.pop()
            out.fate = Fate.DISPLACED
            out.margin = out.score - self._finished[-1].score

    def _close(self, length: int) -> None:
        # Totals fall along the beam, so the first live hypothesis has the best prospects at any length.
        full = len(self._finished) == self._settings.n_best
        worst = self._finished[-1].score if full else None
        best = None
        if self._live and length < self._longest:
            best = self._settings.penalty.best(self._live[0].total, length + 1, self._longest)
        if not self._live:
            ending = Ending.EXHAUSTED
        elif best is None:
            ending = Ending.LENGTH
        elif worst is not None and worst >= best:
            ending = Ending.BOUND
        else:
            return
        self._bound = Bound(ending, best, worst)
        for node in self._live:
            node.fate = Fate.CUT_OFF

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The n best: finished ones by score, and cut-off ones by score where too few have finished."""
        chosen = self._finished + self._live[: self._settings.n_best - len(self._finished)]
        return tuple(node.hypothesis() for node in chosen)

    def trace(self) -> SearchTrace:
        """Everything that was looked at; call it when the search is done."""
        assert self._bound is not None, "the search is still going on"
        steps = tuple(Step(tuple(node.frozen() for node in nodes)) for nodes in self._steps)
        return SearchTrace(steps, self.hypotheses(), self._bound)


def best_extensions(
    log_probs: Float[Tensor, "N b V"], totals: Float[Tensor, "N b"], count: int
) -> tuple[Int[Tensor, "N c"], Int[Tensor, "N c"], Float[Tensor, "N c"]]:
    """The `count` extensions of highest total a sentence, best first: their rows, pieces and log-probabilities.

    Totals are summed in float64. Those that are impossible (-inf) stand last.
    """
    per_row, pieces = log_probs.topk(min(count, log_probs.shape[-1]), dim=-1)
    per_row = per_row.double()
    joint = (totals[:, :, None] + per_row).flatten(1)
    order = joint.topk(min(count, joint.shape[1]), dim=1).indices
    row = order // per_row.shape[-1]
    return row, pieces.flatten(1).gather(1, order), per_row.flatten(1).gather(1, order)


def beam_search(
    stepper: Stepper, *, start: int, end: int, longest: Sequence[int], settings: SearchSettings
) -> list[SentenceSearch]:
    """Search translations of a batch of sentences.

    Args:
        stepper: the model, with one row a sentence.
        start: the piece that every hypothesis reads first.
        end: the piece that finishes one.
        longest: of each sentence, the greatest number of pieces of a translation, end of sentence counted.
    """
    searches = [SentenceSearch(end, limit, settings) for limit in longest]
    active = list(range(len(searches)))
    pieces = torch.full((len(active),), start)
    # Greedy search takes the best piece whatever it is; a beam needs 2·beam, of which at most `beam` end.
    count = 1 if settings.beam == 1 else 2 * settings.beam
    while active:
        log_probs = stepper.step(pieces).unflatten(0, (len(active), -1))
        width = log_probs.shape[1]
        totals = torch.full((len(active), width), -math.inf, dtype=torch.float64)
        for index, sentence in enumerate(active):
            known = searches[sentence].totals()
            totals[index, : len(known)] = torch.tensor(known, dtype=torch.float64)
        table = [part.tolist() for part in best_extensions(log_probs, totals.to(log_probs.device), count)]
        for index, sentence in enumerate(active):
            row, piece, log_prob = (part[index] for part in table)
            possible = [
                k for k in range(len(row)) if log_prob[k] > -math.inf and row[k] < len(searches[sentence].totals())
            ]
            searches[sentence].advance(*([column[k] for k in possible] for column in (row, piece, log_prob)))
        staying = [index for index, sentence in enumerate(active) if not searches[sentence].done]
        if not staying:
            break
        rows, following = _next_rows([(index, searches[active[index]].live) for index in staying], width, settings.beam)
        dropped = len(staying) < len(active)
        stepper.select(torch.tensor(rows), torch.tensor(staying) if dropped else None)
        active = [active[index] for index in staying]
        pieces = torch.tensor(following)
    return searches


def _next_rows(live: list[tuple[int, list[_Node]]], width: int, beam: int) -> tuple[list[int], list[int]]:
    # Every sentence gets `beam` rows; where fewer hypotheses live, the last one's row is repeated and never looked at.
    rows, pieces = [], []
    for index, nodes in live:
        for node in nodes + [nodes[-1]] * (beam - len(nodes)):
            rows.append(index * width + node.row)
            pieces.append(node.piece)
    return rows, pieces
