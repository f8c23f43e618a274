"""Maps of long sentences: a small picture of the whole, pooled, in which the components move a pane of exact cells."""

from dataclasses import dataclass

import numpy as np

from headscope.analysis.records.pooling import pooled
from headscope.app.wire.encoding import weights

MOST = 128
"""Rows or columns up to which a map is shown whole; the side of a pooled one at most."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A map that is pooled."""

    block: int
    """The side of its blocks."""
    rows: int
    columns: int
    weights: str
    """Of each block the cell that is farthest from 0, as `decode` takes them."""


def block_of(rows: int, columns: int) -> int:
    """The side of the blocks that a map is pooled by; 1: it is not."""
    return -(-max(rows, columns) // MOST)


def overview(maps: np.ndarray) -> Overview | None:
    """The picture of the whole of some heads' maps [H, Q, K]; None where they are short.

    Of all heads and of every block it has the cell that is farthest from 0: of weights, the largest.
    """
    block = block_of(*maps.shape[1:])
    if block == 1:
        return None
    high, low = maps.max(0), maps.min(0)
    whole = pooled(np.where(high >= -low, high, low)[None], block)[0]
    return Overview(block, whole.shape[0], whole.shape[1], weights(whole))
