"""Maps of long sentences, made small enough to be drawn: blocks of cells become one. No torch here.

`H` heads, `Q` queries, `K` keys.
"""

import numpy as np


def pooled(layer: np.ndarray, block: int) -> np.ndarray:
    """[H, Q, K] with squares of `block` × `block` cells replaced by the largest of each; the last ones may be smaller.

    The largest, for in a mean over a block a single strong link would vanish.
    """
    for axis in (1, 2):
        layer = np.maximum.reduceat(layer, np.arange(0, layer.shape[axis], block), axis=axis)
    return layer
