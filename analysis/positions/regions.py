"""How often each position was trained, and what follows from it: which were, which hardly, which never. No torch here.

`T` positions, counted from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headscope.model.card import Card

Region = Literal["trained", "rare", "never", "impossible", "unknown"]
SIDES = ("source", "target")
RARE = 0.01
"""A position that occurs in a smaller share of the training sentences is rarely trained."""
MEANINGS: Mapping[Region, str] = {
    "trained": f"in {100 * RARE:g} % of the training sentences of a side, or more",
    "rare": "in fewer of them",
    "never": "in none",
    "impossible": "past the end of a learned table",
    "unknown": "the checkpoint does not say how often",
}


REGION_NAMES: Mapping[Region, str] = {
    "trained": "trained",
    "rare": "rarely trained",
    "never": "never trained",
    "impossible": "impossible",
    "unknown": "not recorded",
}


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What training saw of the first positions."""

    counts: Mapping[str, np.ndarray]
    """[T] for `source` and `target`: how often each occurred, end of sentence included; nothing where not recorded."""
    regions: Mapping[str, tuple[Region, ...]]
    """Of each position, on both sides."""

    @property
    def trained(self) -> np.ndarray:
        """[T]: whether a position is well trained on one side at least; where nothing is recorded, all that exist are
        taken for trained."""
        pairs = zip(*(self.regions[side] for side in SIDES), strict=True)
        known = np.array(["trained" in pair for pair in pairs])
        exist = np.array([region != "impossible" for region in self.regions[SIDES[0]]])
        return known if self.counts else exist


def training(card: Card, length: int) -> Training:
    """Of the first `length` positions."""
    counts = {side: _filled(card.positions[side], length) for side in SIDES if side in card.positions}
    limit = card.config.position_limit
    return Training(counts, {side: _regions(counts.get(side), length, limit) for side in SIDES})


def _filled(counts: tuple[int, ...], length: int) -> np.ndarray:
    known = np.array(counts[:length], dtype=int)
    return np.concatenate([known, np.zeros(length - len(known), dtype=int)])


def _regions(counts: np.ndarray | None, length: int, limit: int | None) -> tuple[Region, ...]:
    def region(place: int) -> Region:
        if limit is not None and place >= limit:
            return "impossible"
        if counts is None:
            return "unknown"
        if counts[place] == 0:
            return "never"
        return "trained" if counts[place] >= RARE * counts[0] else "rare"

    return tuple(region(place) for place in range(length))
