"""Small pictures of maps."""

import numpy as np

from headscope.app.wire.thumbnail import SIDE, VIOLET, thumbnail


def test_a_cell_is_as_violet_as_its_weight():
    weights = np.array([[0.0, 1.0, 0.5], [0.25, 0.0, 0.75]])
    image = thumbnail(weights)
    cell = SIDE // 3
    assert (image.shape, image.dtype) == ((2 * cell, 3 * cell, 4), np.uint8)
    assert (image[..., :3] == VIOLET).all()
    for row, column in np.ndindex(weights.shape):
        square = image[row * cell : (row + 1) * cell, column * cell : (column + 1) * cell, 3]
        assert (square == round(255 * weights[row, column])).all()


def test_long_sentences_keep_their_cells():
    assert thumbnail(np.full((100, 200), 0.5)).shape == (200, 400, 4)
