"""A small picture of one map, without tokens: an image that both the light and the dark page show through."""

import numpy as np

VIOLET = (113, 97, 221)
"""Stands out on either page; how much of it is there is the weight."""
SIDE = 132
"""Pixels of the longer side, of which each cell has the same whole number; two at least."""


def thumbnail(weights: np.ndarray) -> np.ndarray:
    """Weights [Q, K] from 0 to 1 as red, green, blue and opacity [height, width, 4]: nothing is there at 0."""
    cell = max(2, SIDE // max(weights.shape))
    opacity = np.rint(255 * weights).astype(np.uint8).repeat(cell, 0).repeat(cell, 1)
    return np.dstack([*(np.full_like(opacity, level) for level in VIOLET), opacity])
