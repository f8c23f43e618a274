"""The search of one sentence: what is alive, what has finished, and what became of everything that was looked at."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Bound, Candidate, Ending, Fate, Hypothesis, Prediction, SearchTrace, Step
from headscope.model.search.words import Words, Written


class Extension(NamedTuple):
    """A live hypothesis with one more piece."""

    row: int
    """Of the hypothesis."""
    piece: int
    log_prob: float
    forced: bool = False
    """The piece was prescribed, or put forward to write a word that must be there: it was not chosen by score."""


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
    written: Written | None = None
    """Of the words that the translation must and must not contain; None: there are none."""

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

    def __init__(self, end: int, longest: int, settings: SearchSettings, words: Words | None = None) -> None:
        self._end = end
        self._longest = longest
        self._settings = settings
        self._words = words
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
        return [node.total if node else 0.0 for node in self._parents()]

    def paths(self) -> list[tuple[int, ...]]:
        """The pieces of each live hypothesis."""
        return [node.path() if node else () for node in self._parents()]

    def written(self) -> list[Written]:
        """What each live hypothesis has of the words; nothing where there are none."""
        return [written_by(node, self._words) for node in self._parents()] if self._words else []

    def forbidden(self, constraints: Constraints) -> list[Collection[int]]:
        """The pieces that may not follow each live hypothesis."""
        return [forbidden_after(node, constraints, self._words) for node in self._parents()]

    def advance(
        self,
        extensions: Sequence[Extension],
        *,
        excluded: Sequence[Extension] = (),
        predictions: Sequence[Prediction] = (),
    ) -> None:
        """Take the best extensions, best total first.

        Args:
            excluded: those that a constraint rules out; they are remembered, and that is all.
            predictions: of each live hypothesis, for the trace.
        """
        nodes = self._nodes(extensions, Fate.KEPT)
        ruled_out = self._nodes(excluded, Fate.EXCLUDED)
        self._steps.append(sorted(nodes + ruled_out, key=lambda n: -n.total) if ruled_out else nodes)
        self._predictions.append(tuple(predictions))
        banks: dict[int, list[Node]] = {}
        for node in nodes:
            bank = self._words.bank(written_by(node, self._words)) if self._words else 0
            banks.setdefault(bank, []).append(node)
        going_on = {
            bank: sum(node.piece != self._end for node in members[: self._contenders])
            for bank, members in banks.items()
        }
        room = allotted(going_on, self._settings.beam)
        kept = [node for bank, members in banks.items() for node in self._compete(members, room[bank])]
        self._live = sorted(kept, key=lambda n: -n.total)
        self._close(len(self._steps))

    def _compete(self, nodes: Sequence[Node], room: int) -> list[Node]:
        """Settle the fates of candidates that compete with each other; those that go on, of which there is so much
        room, come back."""
        beam, live = self._settings.beam, []
        for rank, node in enumerate(nodes):
            ends, contends = node.piece == self._end, rank < self._contenders
            if ends and contends and (rank < beam or self._settings.finish == "any"):
                self._finish(node)
            elif not ends and contends and len(live) < room:
                live.append(node)
            else:
                last = nodes[beam - 1] if ends or beam == 1 else live[-1] if live else None
                node.fate = Fate.PRUNED
                node.margin = last and node.score - last.score
        return live

    def _nodes(self, extensions: Sequence[Extension], fate: Fate) -> list[Node]:
        step, parents, nodes = len(self._steps), self._parents(), []
        for row, piece, log_prob, forced in extensions:
            parent = parents[row]
            total = log_prob + (parent.total if parent else 0.0)
            score = self._settings.penalty.score(total, step + 1)
            written = self._words and self._words.after(written_by(parent, self._words), piece)
            nodes.append(Node(step, row, parent, piece, log_prob, total, score, fate, forced, written=written))
        return nodes

    def _parents(self) -> Sequence[Node | None]:
        """The live hypotheses; the empty one, from which every search starts, is no node."""
        return self._live if self._steps else [None]

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
        """The n best: finished ones by score, and cut-off ones by score where too few have finished; none of these that
        lacks a word which it must contain."""
        whole = [n for n in self._live if not (self._words and self._words.missing(written_by(n, self._words)))]
        chosen = self._finished + whole[: self._settings.n_best - len(self._finished)]
        return tuple(node.hypothesis() for node in chosen)

    def trace(self) -> SearchTrace:
        """Everything that was looked at; call it when the search is done."""
        assert self._bound is not None, "the search is still going on"
        return SearchTrace(frozen(self._steps, self._predictions), self.hypotheses(), self._bound)


def written_by(node: Node | None, words: Words) -> Written:
    """What a hypothesis has of the words; None: the empty one."""
    return words.begin if node is None or node.written is None else node.written


def forbidden_after(node: Node | None, constraints: Constraints, words: Words | None) -> Collection[int]:
    """The pieces that may not follow a hypothesis.

    Args:
        node: None: the empty one.
    """
    told = constraints.forbidden_after(node.path() if node else ())
    return told if words is None else words.forbidden_after(written_by(node, words)).union(told)


def allotted(going_on: Mapping[int, int], beam: int) -> dict[int, int]:
    """How many candidates of each bank go on: one of each bank in turn, as long as there are any and the beam has room.

    The highest bank is served first, so that its hypotheses come to their end; then the lowest, which has the
    most to choose from; then the others from the top.

    Args:
        going_on: of each bank, the candidates that would go on.
    """
    if len(going_on) < 2:
        return dict.fromkeys(going_on, beam)
    room = dict.fromkeys(going_on, 0)
    highest, lowest = max(going_on), min(going_on)
    order = sorted(going_on, key=lambda bank: (bank != highest, bank != lowest, -bank))
    while beam and any(room[bank] < going_on[bank] for bank in order):
        for bank in order:
            if beam and room[bank] < going_on[bank]:
                room[bank] += 1
                beam -= 1
    return room


def frozen(steps: Sequence[Sequence[Node]], predictions: Sequence[tuple[Prediction, ...]]) -> tuple[Step, ...]:
    """Steps of a trace."""
    return tuple(
        Step(tuple(node.frozen() for node in nodes), expected)
        for nodes, expected in zip(steps, predictions, strict=True)
    )
