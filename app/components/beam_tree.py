"""Searches as trees, side by side, to be walked through step by step in the browser."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import streamlit as st
from streamlit.components.v2 import component

from headscope.analysis.records.labels import cut, isolate
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.tree import search_tree
from headscope.app.components.assets import script, text
from headscope.app.export.search_figure import DROP, GAP, HEIGHT, LETTERS, SIGNS, WIDTH
from headscope.app.view.search_state import Place
from headscope.app.wire.encoding import checked
from headscope.model.search.limits import PAGE_LENGTHS
from headscope.model.search.trace import Candidate, Fate, Step

_component = component(
    "headscope_beam_tree", html=text("beam_tree.html"), css=text("beam_tree.css"), js=script("beam_tree.js")
)
KEY = "beam_tree"
PIECES = 12
"""Next pieces of a hypothesis that are listed; the rest is one bar."""
FATES = tuple(Fate)
Verb = Literal["force", "forbid", "close"]
ACTS: tuple[Verb, ...] = ("force", "forbid", "close")


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
class Act:
    """What the visitor wants to be done."""

    verb: Verb
    lane: str
    path: tuple[int, ...]
    """The pieces up to the one that is forced or forbidden; none where a lane is closed."""


def beam_tree(
    trees: Sequence[Tree],
    *,
    told: Place,
    turn: int,
    pruned: bool,
    full: bool,
    present: bool,
    on_pick: Callable[[], None],
    on_act: Callable[[], None],
) -> None:
    """Draw them.

    Args:
        told: the candidate that Python selects; the browser follows it when `turn` is another number than before.
        pruned: whether candidates that were pruned or excluded are drawn.
        full: no further branch can be opened.
        present: the trees listen to keys without being clicked first, and nothing can be forced or closed.
        on_pick: called before the next run when the visitor has selected a candidate; `picked` says which.
        on_act: called before the next run when something is to be forced, forbidden or closed; `wanted` says what.
    """
    data = payload(trees, told=told, turn=turn, pruned=pruned, full=full, present=present)
    _component(key=KEY, data=checked(data), on_picked_change=on_pick, on_wanted_change=on_act)


def payload(
    trees: Sequence[Tree], *, told: Place, turn: int, pruned: bool, full: bool, present: bool
) -> dict[str, Any]:
    """What the component is given."""
    lanes = [_lane(tree) for tree in trees]
    content = repr((lanes, pruned, full, present)).encode()
    return {
        "signature": hashlib.sha256(content).hexdigest()[:16],
        "box": {"width": WIDTH, "height": HEIGHT, "gap": GAP, "drop": DROP},
        "fates": [str(fate) for fate in FATES],
        "signs": [SIGNS[fate] for fate in FATES],
        "pieces": _labels([tree.record for tree in trees if tree.record]),
        "lanes": lanes,
        "told": asdict(told),
        "turn": turn,
        "pruned": pruned,
        "full": full,
        "present": present,
    }


def _lane(tree: Tree) -> dict[str, Any]:
    head = {name: getattr(tree, name) for name in ("name", "title", "how", "note", "ended", "parts", "closable")}
    record = tree.record
    if record is None:
        return head | {"steps": [], "nodes": [], "found": []}
    lengths = [len(h.log_probs) for h in record.trace.hypotheses]
    return head | {
        "steps": [_step(record, number, step) for number, step in enumerate(record.trace.steps)],
        "nodes": _nodes(record),
        "found": [
            {"text": words, "total": h.total, "score": h.score, "finished": h.finished, "length": length}
            for words, h, length in zip(record.texts, record.trace.hypotheses, lengths, strict=True)
        ],
    }


def _nodes(record: SearchRecord) -> list[list[Any]]:
    """One row a candidate, in the order of `tree.js`'s FIELDS; its two rows are those with and without pruned ones."""
    whole = search_tree(record.trace).nodes
    slim = {(n.candidate.step, n.index): n.row for n in search_tree(record.trace, pruned=False).nodes}
    return [
        [
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
        ]
        for node in whole
    ]


def _numbers(c: Candidate) -> list[float | None]:
    margin = None if c.margin is None else round(c.margin, 6)
    drawn = None if c.drawn is None else round(c.drawn, 6)
    return [round(c.log_prob, 6), round(c.total, 6), round(c.score, 6), margin, drawn]


def _step(record: SearchRecord, number: int, step: Step) -> list[dict[str, Any]]:
    """What each live hypothesis that a step extends reads, and what may follow it."""
    return [
        {
            "text": words,
            "entropy": round(known.entropy, 6),
            "next": [
                [piece, round(log_prob, 6)]
                for piece, log_prob in zip(known.pieces[:PIECES], known.log_probs[:PIECES], strict=True)
            ],
        }
        for words, known in zip(record.live_texts[number], step.predictions, strict=True)
    ]


def _labels(records: Sequence[SearchRecord]) -> dict[str, dict[str, Any]]:
    """How every piece is shown, by id; the short form is cut and isolated for a picture that knows no layout."""
    found = {}
    for record in records:
        for piece in record.pieces.keys() - found.keys():
            label = record.label(piece)
            short = replace(label, text=cut(label.text, LETTERS))
            found[piece] = asdict(label) | {"short": short.mark + isolate(short.text)}
    return {str(piece): label for piece, label in found.items()}


def picked() -> Place | None:
    """The candidate that the visitor has selected; None: what came from the browser is none."""
    return as_place(st.session_state[KEY].get("picked"))


def wanted() -> Act | None:
    """What the visitor wants to be done; None: what came from the browser is nothing of that kind."""
    return as_act(st.session_state[KEY].get("wanted"))


def as_place(value: object) -> Place | None:
    """What a browser sent, as a place; whether there is a candidate is for the page to see."""
    if not isinstance(value, Mapping):
        return None
    lane, step, index = value.get("lane"), value.get("step"), value.get("index")
    if not isinstance(lane, str) or type(step) is not int or type(index) is not int or min(step, index) < 0:
        return None
    return Place(lane, step, index)


def as_act(value: object) -> Act | None:
    """What a browser sent, as something to be done; whether the pieces exist is for the search to see."""
    if not isinstance(value, Mapping):
        return None
    verb, lane, path = value.get("verb"), value.get("lane"), value.get("path")
    if verb not in ACTS or not isinstance(lane, str) or not isinstance(path, list):
        return None
    if len(path) > PAGE_LENGTHS[1] or any(type(piece) is not int or piece < 0 for piece in path):
        return None
    return Act(verb, lane, tuple(path)) if path or verb == "close" else None
