"""Maps of long sentences: a small picture of the whole, pooled, in which the components move a pane of exact cells."""

from typing import Any

import numpy as np

from headscope.analysis.records.pooling import pooled
from headscope.app.wire.encoding import weights

MOST = 128
"""Rows or columns up to which a map is shown whole; the side of a pooled one at most."""


def block_of(rows: int, columns: int) -> int:
    """The side of the blocks that a map is pooled by; 1: it is not."""
    return -(-max(rows, columns) // MOST)


def overview(maps: np.ndarray) -> dict[str, Any] | None:
    """The picture of the whole of some heads' maps [H, Q, K], the largest of each cell; None where they are short."""
    block = block_of(*maps.shape[1:])
    if block == 1:
        return None
    whole = pooled(maps.max(0, keepdims=True), block)[0]
    return {"block": block, "rows": whole.shape[0], "columns": whole.shape[1], "weights": weights(whole)}
