"""Searches as trees, side by side, to be walked through step by step in the browser."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from headscope.analysis.records.labels import Label
from headscope.analysis.search.record import SearchRecord, piece_label
from headscope.analysis.search.tree import search_tree
from headscope.app.wire.encoding import as_json
from headscope.model.search.trace import Candidate, Fate, Step

WIDTH, HEIGHT, GAP, DROP = 144, 36, 42, 10
"""Pixels: a node, and the room between nodes."""
PIECES = 12
"""Next pieces of a hypothesis that are listed; the rest is one bar."""
FATES = tuple(Fate)
SIGNS = {
    Fate.KEPT: "",
    Fate.FINISHED: "finished",
    Fate.DISPLACED: "displaced",
    Fate.PRUNED: "pruned",
    Fate.CUT_OFF: "cut off",
    Fate.EXCLUDED: "excluded",
}
"""What a node says of its fate, in print too."""


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate in one of the searches that stand side by side."""

    lane: str
    """`a`, `b`, or the number of a branch, from 1."""
    step: int
    index: int
    """Among the candidates of its step."""


@dataclass(frozen=True, slots=True)
class Tree:
    """One search."""

    name: str
    title: str
    how: str
    """How it searches, in words."""
    note: str
    """How it differs from the first one, in words."""
    ended: str
    """Why it ended, or why there is none."""
    record: SearchRecord | None
    parts: int | None
    """The first step, from 0, in which it differs from the first one."""
    closable: bool


@dataclass(frozen=True, slots=True)
class Box:
    """Pixels of a node, and the room between nodes."""

    width: int = WIDTH
    height: int = HEIGHT
    gap: int = GAP
    drop: int = DROP


@dataclass(frozen=True, slots=True)
class Piece:
    """How a piece is shown: the fields of its `Label`."""

    mark: str
    text: str
    full: str
    part: int
    parts: int
    special: bool


class NodeRow(NamedTuple):
    """A candidate, as a row of numbers: there are many. Its two rows are those with and without pruned ones."""

    step: int
    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    parent: int | None
    piece: int
    log_prob: float
    total: float
    score: float
    margin: float | None
    drawn: float | None
    fate: int
    forced: int
    winner: int
    hypothesis: int | None
    row: int
    slim: int | None


@dataclass(frozen=True, slots=True)
class Known:
    """A live hypothesis that a step extends."""

    text: str
    """What it reads."""
    entropy: float
    next: tuple[tuple[int, float], ...]
    """The pieces that may follow it, with their log-probabilities."""


@dataclass(frozen=True, slots=True)
class Found:
    """A translation."""

    text: str
    total: float
    score: float
    finished: bool
    length: int


@dataclass(frozen=True, slots=True)
class Lane:
    """One search, as it is drawn."""

    name: str
    title: str
    how: str
    note: str
    ended: str
    parts: int | None
    closable: bool
    steps: tuple[tuple[Known, ...], ...]
    nodes: tuple[NodeRow, ...]
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """Pieces that may be meant."""

    path: tuple[int, ...]
    labels: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Offers:
    """What may be meant by what the visitor has typed."""

    typed: str
    found: tuple[Offer, ...]


NOTHING_TYPED = Offers("", ())


@dataclass(frozen=True, slots=True)
class BeamTree:
    """What the component gets."""

    signature: str
    """Of all but `told`, `turn` and `offers`."""
    box: Box
    fates: tuple[str, ...]
    """By the number that nodes have for them, as `signs` are."""
    signs: tuple[str, ...]
    pieces: dict[int, Piece]
    """By id."""
    end: int | None
    """Id of the end of sentence; None: there is no search."""
    lanes: tuple[Lane, ...]
    told: Place
    turn: int
    offers: Offers
    pruned: bool
    full: bool
    present: bool


def beam_tree(
    trees: Sequence[Tree],
    *,
    told: Place,
    turn: int,
    pruned: bool,
    full: bool,
    present: bool,
    offers: Offers = NOTHING_TYPED,
) -> BeamTree:
    """Searches side by side.

    Args:
        told: the candidate that Python selects; the browser follows it when `turn` is another number than before.
        pruned: whether candidates that were pruned or excluded are drawn.
        full: no further branch can be opened.
        present: the trees listen to keys without being clicked first, and nothing can be forced or closed.
    """
    lanes = tuple(map(_lane, trees))
    return BeamTree(
        signature=hashlib.sha256(as_json((lanes, pruned, full, present)).encode()).hexdigest()[:16],
        box=Box(),
        fates=tuple(map(str, FATES)),
        signs=tuple(SIGNS[fate] for fate in FATES),
        pieces=_pieces([tree.record for tree in trees if tree.record]),
        end=next((tree.record.end for tree in trees if tree.record), None),
        lanes=lanes,
        told=told,
        turn=turn,
        offers=offers,
        pruned=pruned,
        full=full,
        present=present,
    )


def offers(typed: str, found: Sequence[Sequence[tuple[int, str]]], end: int) -> Offers:
    """What may be meant by what was typed: pieces by id and spelling; `end` is the end of sentence."""
    return Offers(
        typed,
        tuple(
            Offer(
                tuple(piece for piece, _ in path),
                tuple(_piece(piece_label(spelt, piece, special=piece == end)) for piece, spelt in path),
            )
            for path in found
        ),
    )


def _lane(tree: Tree) -> Lane:
    head = (tree.name, tree.title, tree.how, tree.note, tree.ended, tree.parts, tree.closable)
    record = tree.record
    if record is None:
        return Lane(*head, steps=(), nodes=(), found=())
    found = zip(record.texts, record.trace.hypotheses, strict=True)
    return Lane(
        *head,
        steps=tuple(_step(record, number, step) for number, step in enumerate(record.trace.steps)),
        nodes=_nodes(record),
        found=tuple(Found(words, h.total, h.score, h.finished, len(h.log_probs)) for words, h in found),
    )


def _nodes(record: SearchRecord) -> tuple[NodeRow, ...]:
    whole = search_tree(record.trace).nodes
    slim = {(n.candidate.step, n.index): n.row for n in search_tree(record.trace, pruned=False).nodes}
    return tuple(
        NodeRow(
            node.candidate.step,
            node.index,
            node.parent,
            node.candidate.piece,
            *_numbers(node.candidate),
            FATES.index(node.candidate.fate),
            int(node.candidate.forced),
            int(node.winner),
            node.hypothesis,
            node.row,
            slim.get((node.candidate.step, node.index)),
        )
        for node in whole
    )


def _numbers(c: Candidate) -> tuple[float, float, float, float | None, float | None]:
    margin = None if c.margin is None else round(c.margin, 6)
    drawn = None if c.drawn is None else round(c.drawn, 6)
    return round(c.log_prob, 6), round(c.total, 6), round(c.score, 6), margin, drawn


def _step(record: SearchRecord, number: int, step: Step) -> tuple[Known, ...]:
    """What each live hypothesis that a step extends reads, and what may follow it."""
    return tuple(
        Known(
            words,
            round(known.entropy, 6),
            tuple(
                (piece, round(log_prob, 6))
                for piece, log_prob in zip(known.pieces[:PIECES], known.log_probs[:PIECES], strict=True)
            ),
        )
        for words, known in zip(record.live_texts[number], step.predictions, strict=True)
    )


def _pieces(records: Sequence[SearchRecord]) -> dict[int, Piece]:
    found: dict[int, Piece] = {}
    for record in records:
        found |= {piece: _piece(record.label(piece)) for piece in record.pieces.keys() - found.keys()}
    return found


def _piece(label: Label) -> Piece:
    return Piece(label.mark, label.text, label.full, label.part, label.parts, label.special)
