"""Maps of long sentences, made small enough to be drawn: blocks of cells become one. No torch here.

`H` heads, `Q` queries, `K` keys.
"""

import numpy as np


def pooled(layer: np.ndarray, block: int) -> np.ndarray:
    """[H, Q, K] with squares of `block` × `block` cells replaced by the one of each that is farthest from 0; the last
    squares may be smaller.

    Of weights it is the largest: in a mean over a block a single strong link would vanish.
    """
    high, low = (_reduced(choose, layer, block) for choose in (np.maximum, np.minimum))
    return np.where(high >= -low, high, low)


def _reduced(choose: np.ufunc, layer: np.ndarray, block: int) -> np.ndarray:
    for axis in (1, 2):
        layer = choose.reduceat(layer, np.arange(0, layer.shape[axis], block), axis=axis)
    return layer
