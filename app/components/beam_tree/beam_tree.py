"""The trees of searches: which candidate is selected there, and what is to be done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from headscope.app.components.component import Component
from headscope.app.wire.beam_tree import BeamTree, Place

BEAM_TREE = Component("beam_tree", BeamTree, ("components/beam_tree/panel.css",))
MOST_TYPED = 100
Verb = Literal["force", "forbid", "close"]
ACTS: tuple[Verb, ...] = ("force", "forbid", "close")


@dataclass(frozen=True, slots=True)
class Act:
    """What the visitor wants to be done."""

    verb: Verb
    lane: str
    path: tuple[int, ...]
    """The pieces up to the one that is forced or forbidden; none where a lane is closed."""


def as_place(value: object) -> Place | None:
    """What a browser sent, as a place; whether there is a candidate is for the page to see."""
    if not isinstance(value, Mapping):
        return None
    lane, step, index = value.get("lane"), value.get("step"), value.get("index")
    if not isinstance(lane, str) or type(step) is not int or type(index) is not int or min(step, index) < 0:
        return None
    return Place(lane, step, index)


def as_act(value: object, *, longest: int) -> Act | None:
    """What a browser sent, as something to be done; whether the pieces exist is for the search to see.

    Args:
        longest: pieces of a path at most.
    """
    if not isinstance(value, Mapping):
        return None
    verb, lane, path = value.get("verb"), value.get("lane"), value.get("path")
    if verb not in ACTS or not isinstance(lane, str) or not isinstance(path, list):
        return None
    if len(path) > longest or any(type(piece) is not int or piece < 0 for piece in path):
        return None
    return Act(verb, lane, tuple(path)) if path or verb == "close" else None


def as_typed(value: object) -> str:
    """What a browser sent, as the beginning of a piece; no more of it than a piece can have."""
    return value[:MOST_TYPED] if isinstance(value, str) else ""
