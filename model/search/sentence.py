"""The search of one sentence: what is alive, what has finished, and what became of everything that was looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Bound, Candidate, Ending, Fate, Hypothesis, Prediction, SearchTrace, Step


class Extension(NamedTuple):
    """A live hypothesis with one more piece."""

    row: int
    """Of the hypothesis."""
    piece: int
    log_prob: float


@dataclass(slots=True, eq=False)
class Node:
    """A candidate whose fate is still open."""

    step: int
    row: int
    parent: "Node | None"
    piece: int
    log_prob: float
    total: float
    score: float
    fate: Fate = Fate.KEPT
    forced: bool = False
    margin: float | None = None
    drawn: float | None = None

    def lineage(self) -> "list[Node]":
        """From the first piece to this one."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def path(self) -> tuple[int, ...]:
        """Its pieces."""
        return tuple(node.piece for node in self.lineage())

    def frozen(self) -> Candidate:
        """For the trace, when its fate is settled."""
        return Candidate(
            self.step,
            self.row,
            self.piece,
            self.log_prob,
            self.total,
            self.score,
            self.fate,
            self.forced,
            self.margin,
            self.drawn,
        )

    def hypothesis(self) -> Hypothesis:
        """The translation that it ends."""
        lineage = self.lineage()
        finished = self.fate is Fate.FINISHED
        return Hypothesis(
            pieces=tuple(node.piece for node in (lineage[:-1] if finished else lineage)),
            log_probs=tuple(node.log_prob for node in lineage),
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
        # Greedy search takes the best piece whatever it is; a beam needs 2·beam, of which at most `beam` end.
        self._contenders = 1 if settings.beam == 1 else 2 * settings.beam
        self._steps: list[list[Node]] = []
        self._predictions: list[tuple[Prediction, ...]] = []
        self._live: list[Node] = []
        self._finished: list[Node] = []
        self._bound: Bound | None = None

    @property
    def live(self) -> list[Node]:
        """Hypotheses that go on, best first."""
        return self._live

    @property
    def done(self) -> bool:
        """Whether the search has ended."""
        return self._bound is not None

    def totals(self) -> list[float]:
        """Log-probability of each live hypothesis; 0 for the empty one that every search starts from."""
        return [node.total for node in self._live] if self._steps else [0.0]

    def paths(self) -> list[tuple[int, ...]]:
        """The pieces of each live hypothesis."""
        return [node.path() for node in self._live] if self._steps else [()]

    def advance(
        self,
        extensions: Sequence[Extension],
        *,
        excluded: Sequence[Extension] = (),
        predictions: Sequence[Prediction] = (),
        forced: bool = False,
    ) -> None:
        """Take the best extensions, best total first.

        Args:
            excluded: those that a constraint rules out; they are remembered, and that is all.
            predictions: of each live hypothesis, for the trace.
            forced: the piece was prescribed.
        """
        step, beam = len(self._steps), self._settings.beam
        nodes = self._nodes(extensions, Fate.KEPT, forced)
        ruled_out = self._nodes(excluded, Fate.EXCLUDED, False)
        self._steps.append(sorted(nodes + ruled_out, key=lambda n: -n.total) if ruled_out else nodes)
        self._predictions.append(tuple(predictions))
        self._live = []
        for rank, node in enumerate(nodes):
            ends, contends = node.piece == self._end, rank < self._contenders
            if ends and contends and (rank < beam or self._settings.finish == "any"):
                self._finish(node)
            elif not ends and contends and len(self._live) < beam:
                self._live.append(node)
            else:
                last = nodes[beam - 1] if ends or beam == 1 else self._live[-1]
                node.fate = Fate.PRUNED
                node.margin = node.score - last.score
        self._close(step + 1)

    def _nodes(self, extensions: Sequence[Extension], fate: Fate, forced: bool) -> list[Node]:
        step, parents = len(self._steps), self._live if self._steps else [None]
        nodes = []
        for row, piece, log_prob in extensions:
            parent = parents[row]
            total = log_prob + (parent.total if parent else 0.0)
            score = self._settings.penalty.score(total, step + 1)
            nodes.append(Node(step, row, parent, piece, log_prob, total, score, fate, forced))
        return nodes

    def _finish(self, node: Node) -> None:
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
        return SearchTrace(frozen(self._steps, self._predictions), self.hypotheses(), self._bound)


def frozen(steps: Sequence[Sequence[Node]], predictions: Sequence[tuple[Prediction, ...]]) -> tuple[Step, ...]:
    """Steps of a trace."""
    return tuple(
        Step(tuple(node.frozen() for node in nodes), expected)
        for nodes, expected in zip(steps, predictions, strict=True)
    )
