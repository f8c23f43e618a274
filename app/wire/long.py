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
    """The largest of each block, as `decode` takes them."""


def block_of(rows: int, columns: int) -> int:
    """The side of the blocks that a map is pooled by; 1: it is not."""
    return -(-max(rows, columns) // MOST)


def overview(maps: np.ndarray) -> Overview | None:
    """The picture of the whole of some heads' maps [H, Q, K], the largest of each cell; None where they are short."""
    block = block_of(*maps.shape[1:])
    if block == 1:
        return None
    whole = pooled(maps.max(0, keepdims=True), block)[0]
    return Overview(block, whole.shape[0], whole.shape[1], weights(whole))
