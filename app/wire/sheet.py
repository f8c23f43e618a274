"""Tables of text that comes from files, and how often each position occurred in training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SheetTable:
    """Rows under a title; the first cell of a row names it."""

    title: str
    heads: Sequence[str]
    """What the columns are; none: names and values."""
    rows: Sequence[Sequence[str]]
    otherwise: str = ""
    """What stands there without any row."""


@dataclass(frozen=True, slots=True)
class Positions:
    """How often each position of a side occurred."""

    side: str
    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the component gets."""

    tables: Sequence[SheetTable]
    positions: tuple[Positions, ...]
    """The picture under the tables; none: there is no picture."""


def sheet(tables: Sequence[SheetTable], positions: Mapping[str, Sequence[int]]) -> Sheet:
    """Tables and, under them, a picture of positions.

    Args:
        positions: how often each occurred in training, for source and target.
    """
    return Sheet(tables, tuple(Positions(side, counts) for side, counts in positions.items() if counts))
