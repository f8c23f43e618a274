"""What goes to the map of one head."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.difference import difference
from headscope.app.wire.axes import KIND_LABELS, NAMES
from headscope.app.wire.head_map import head_map
from headscope.app.wire.shown import Shown
from tests.app.page_tools import SENTENCE


@pytest.fixture(scope="module")
def maps(translator):
    return attention_maps(translator, SENTENCE)


@pytest.mark.parametrize("kind", KIND_LABELS)
def test_every_weight_stands_at_its_tokens(maps, kind):
    sent = head_map(Shown(maps, None), kind, 1, 1)
    array = maps.layers(kind)[1][1]
    assert (len(sent.rows), len(sent.columns)) == array.shape
    np.testing.assert_array_equal(np.frombuffer(base64.b64decode(sent.weights), "<f4").reshape(array.shape), array)
    assert sent.title == f"{NAMES[kind]}, layer 2, head 2"
    assert all((row.predicts is None) == (kind == "encoder") for row in sent.rows)
    assert (sent.most, sent.hidden) == (1.0, None)


def test_weights_can_be_set_where_the_mask_leaves_a_choice(maps):
    shown = Shown(maps, None)
    assert head_map(shown, "decoder", 0, 0).settable == ()
    for kind, array in ((kind, maps.layers(kind)[0][0]) for kind in KIND_LABELS):
        rows = head_map(shown, kind, 0, 0, settable=True).settable
        assert [list(range(first, last + 1)) for first, last in rows] == [
            row.nonzero()[0].tolist() if (row > 0).sum() > 1 else [] for row in array
        ]


def test_another_head_is_drawn_anew_with_the_same_tokens(maps):
    shown = Shown(maps, None)
    one, other = head_map(shown, "cross", 0, 0), head_map(shown, "cross", 0, 1)
    assert one.signature != other.signature
    assert one.tokens == other.tokens
    assert one.tokens != head_map(shown, "decoder", 0, 0).tokens
    assert one.signature != head_map(Shown(replace(maps, quantity="difference"), None), "cross", 0, 0).signature


def test_maps_of_one_head_are_told_apart_by_their_titles(maps):
    sent = head_map(Shown(maps, None), "cross", 0, 1, title="Without")
    assert sent.title == "Without"
    assert sent.name.startswith("Without, Cross-attention, layer 1, head 2: ")


def test_a_difference_ends_at_its_farthest_on_either_side(maps):
    halved = maps.mapped(lambda kind, layer: layer / 2, "halved")
    sent = head_map(Shown(difference(halved, maps), None), "cross", 1, 0)
    assert (sent.quantity, sent.most) == ("difference", pytest.approx(maps.cross[1].max() / 2))
    assert np.frombuffer(base64.b64decode(sent.weights), "<f4").max() <= 0
    assert "differences" in sent.name
    assert head_map(Shown(difference(maps, maps), None), "cross", 1, 0).most == 0
