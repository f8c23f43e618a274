"""Long maps made small."""

import numpy as np
import pytest

from headscope.analysis.records.pooling import pooled


def test_a_block_becomes_its_largest_cell():
    layer = np.array([[[1, 2, 3], [4, 5, 6], [7, 8, 0]]])
    np.testing.assert_array_equal(pooled(layer, 2), [[[5, 6], [8, 0]]])


@pytest.mark.parametrize("block", [1, 3, 7, 100])
def test_nothing_is_left_out(block):
    layer = np.random.default_rng(0).random((2, 9, 13))
    found = pooled(layer, block)
    assert found.shape == (2, -(-9 // block), -(-13 // block))
    np.testing.assert_array_equal(found.max((1, 2)), layer.max((1, 2)))


def test_of_differences_the_cell_farthest_from_0_is_kept():
    layer = np.array([[[0.1, -0.4, 0.2], [0.3, 0.2, -0.2]]])
    np.testing.assert_array_equal(pooled(layer, 2), [[[-0.4, 0.2]]])
