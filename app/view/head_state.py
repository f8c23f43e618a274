"""What the page of one head shows beyond the View, as a value, and its form in the address: pure, re-validated."""

import math
from dataclasses import dataclass, replace
from typing import Annotated

from headscope.analysis.records.heads import Cell, Head
from headscope.analysis.records.links import SHARE
from headscope.app.view.codec import PageState, Word, number
from headscope.model.sites import KINDS

SHARES = (0.1, 1.0)
"""Of a row's mass, how much may be drawn as lines."""
MOST = 10_000


@dataclass(frozen=True, slots=True)
class SetWeight:
    """A weight that the visitor has set."""

    cell: Cell
    weight: float
    """From 0 to 1."""

    def __str__(self) -> str:
        """Which, counted from 1, and its value."""
        return f"{self.cell} set to {self.weight:g}"


def _set(text: str) -> SetWeight:
    name, *counted, weight = text.split(".", 5)
    kind = KINDS[[*KINDS].index(name)]
    layer, head, query, key = (int(count) - 1 for count in counted)
    value = float(weight)
    if not (math.isfinite(value) and 0 <= value <= 1) or not all(0 <= at < MOST for at in (layer, head, query, key)):
        raise ValueError(text)
    return SetWeight(Cell(Head(kind, layer, head), query, key), value)


def _spell_set(given: SetWeight) -> str:
    (kind, layer, head), query, key = given.cell
    return ".".join([kind, *(str(at + 1) for at in (layer, head, query, key)), str(given.weight)])


@dataclass(frozen=True, slots=True)
class HeadView(PageState):
    """What the page of one head alone shows."""

    share: Annotated[float, number(*SHARES)] = SHARE
    """Of each row's mass, how much the lines make up."""
    set: Annotated[SetWeight | None, Word(_set, _spell_set)] = None
    """A weight set by the visitor; None: all are as they are."""

    def anew(self) -> "HeadView":
        """The same for another sentence, in which no cell means anything."""
        return replace(self, set=None)


def toggled(head: int, beside: tuple[int, ...], clicked: int | None) -> tuple[int, tuple[int, ...]]:
    """The head in view and those drawn beside it, once another one is drawn too or one is left out; the last stays.

    Args:
        clicked: which; None: none.
    """
    drawn = {head, *beside} ^ (set() if clicked is None else {clicked})
    if not drawn:
        return head, beside
    first = head if head in drawn else min(drawn)
    return first, tuple(sorted(drawn - {first}))
