"""The keys of a page, to be listed."""

from collections.abc import Sequence
from dataclasses import dataclass

SENTENCE = ("the sentence", "← → ↑ ↓ Home End", "walk its tokens; Enter pins one, Escape lets go")
TILES = ("tiles", "← → ↑ ↓", "walk; Enter opens one")
MAP = ("the map", "← → ↑ ↓", "walk its cells; Enter pins the row, Escape lets go")
PANE = ("the small picture of a long map", "← → ↑ ↓", "move the part that is shown")
OF_PAGES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "overview": (SENTENCE, TILES),
    "head": (
        SENTENCE,
        MAP,
        ("lines", "← → ↑ ↓", "walk the tokens on either side; Enter pins, Escape lets go"),
        ("the heads that are drawn as lines", "← →", "walk; Enter draws one or leaves it out"),
        PANE,
        TILES,
    ),
    "inside": (SENTENCE, ("the picture", "← → ↑ ↓ Page Up Page Down", "walk keys, dimensions and queries")),
    "training": (
        SENTENCE,
        ("the slider", "← → Home End", "step through the training"),
        ("its small maps", "← → ↑ ↓", "walk; Enter goes to that step"),
        MAP,
    ),
    "what_if": (SENTENCE, ("tiles", "← → ↑ ↓", "walk; Enter takes a head away or brings it back"), MAP),
    "positions": (
        SENTENCE,
        ("a map of numbers", "← → ↑ ↓", "walk its cells, whose numbers are said"),
        ("tiles", "← → ↑ ↓", "walk; Enter shows one below"),
        MAP,
    ),
    "compare": (
        SENTENCE,
        MAP,
        ("a tree", "← → ↑ ↓ Home End", "walk; space plays"),
        ("the matrix", "← → ↑ ↓", "walk its cells and read them out; Enter pins the row, Escape lets go"),
        ("a map of numbers", "← → ↑ ↓", "walk its cells, whose numbers are said"),
    ),
    "runs": (("a map of numbers", "← → ↑ ↓", "walk its cells, whose numbers are said"),),
    "why": (
        SENTENCE,
        ("the matrix", "← → ↑ ↓", "walk its cells and read them out; Enter pins the row, Escape lets go"),
        ("a map of numbers", "← → ↑ ↓", "walk its cells, whose numbers are said"),
    ),
    "search": (
        SENTENCE,
        ("the tree", "← → ↑ ↓ Home End", "walk; Enter opens what may follow, space plays, Escape closes"),
    ),
}
"""Of a page by its name: where the focus is, the keys, and what they do."""


@dataclass(frozen=True, slots=True)
class KeyHelp:
    """Some keys."""

    where: str
    """What has the focus."""
    keys: str
    does: str


@dataclass(frozen=True, slots=True)
class Help:
    """What the component gets."""

    rows: Sequence[KeyHelp]


def key_help(page: str) -> Help:
    """The keys of a page by its name; those of all pages last."""
    every = ("any page", "?", "opens and closes this list")
    return Help(tuple(KeyHelp(*row) for row in (*OF_PAGES.get(page, ()), every)))
