"""What the components are given of long sentences."""

import base64

import numpy as np
import pytest

from headscope.app.wire.head_map import head_map
from headscope.app.wire.lines import lines
from headscope.app.wire.long import MOST, block_of, overview
from headscope.app.wire.shown import Shown
from tests.app.wire.test_wall import record


@pytest.mark.parametrize(("rows", "columns", "block"), [(1, MOST, 1), (MOST + 1, 3, 2), (512, 40, 4), (257, 256, 3)])
def test_a_pooled_map_is_at_most_so_large(rows, columns, block):
    assert block_of(rows, columns) == block
    assert max(rows, columns) / block <= MOST


def test_short_maps_are_not_pooled():
    shown = Shown(record(1, 2, MOST), None)
    assert head_map(shown, "cross", 0, 1).overview is None
    assert lines(shown, "cross", 0, [0, 1]).overview is None


def test_the_whole_of_a_long_map_is_there_pooled_beside_its_exact_cells():
    maps = record(1, 3, 2 * MOST - 1)
    data = head_map(Shown(maps, None), "cross", 0, 1)
    exact = np.frombuffer(base64.b64decode(data.weights), "<f4")
    np.testing.assert_array_equal(exact, maps.cross[0][1].ravel())
    whole = data.overview
    small = np.frombuffer(base64.b64decode(whole.weights), "<f4").reshape(whole.rows, whole.columns)
    assert (whole.block, small.shape) == (2, (MOST, MOST))
    assert small[3, 5] == maps.cross[0][1, 6:8, 10:12].max()


def test_of_several_heads_the_largest():
    maps = record(1, 3, MOST + 1).cross[0]
    both = np.frombuffer(base64.b64decode(overview(maps[[0, 2]]).weights), "<f4")
    each = [np.frombuffer(base64.b64decode(overview(maps[[head]]).weights), "<f4") for head in (0, 2)]
    np.testing.assert_array_equal(both, np.maximum(*each))


def test_of_differences_the_farthest_from_0():
    maps = np.zeros((1, MOST + 1, MOST + 1), np.float32)
    maps[0, 0, :2] = 0.25, -0.5
    maps[0, 2, 2:4] = 0.5, -0.25
    whole = np.frombuffer(base64.b64decode(overview(maps).weights), "<f4").reshape(MOST // 2 + 1, -1)
    assert (whole[0, 0], whole[1, 1]) == (-0.5, 0.5)
    assert np.count_nonzero(whole) == 2
