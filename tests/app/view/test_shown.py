"""Records as a View shows them."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.app.view.shown import united, with_special
from headscope.app.view.state import KINDS, View

VIEW = View("toy", "My neighbour keeps bees and gives us honey.")


@pytest.fixture(scope="module")
def maps(translator):
    return attention_maps(translator, VIEW.source)


def test_as_it_is(maps):
    assert with_special(maps, VIEW).maps is maps
    assert with_special(maps, VIEW).hidden is None


@pytest.mark.parametrize("unit", ["pieces", "words"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_hidden_and_what_is_seen_make_up_each_row(maps, unit, kind):
    view = replace(VIEW, unit=unit, special="hidden")
    found = with_special(united(maps, view), view)
    special = found.maps.keys(kind).special
    assert special.sum() == 1
    for seen, mass, whole in zip(
        found.maps.layers(kind), found.hidden[kind], united(maps, view).layers(kind), strict=True
    ):
        np.testing.assert_allclose(seen.sum(-1) + mass, whole.sum(-1), atol=1e-5)
        assert (seen[:, :, special] == 0).all()
        np.testing.assert_array_equal(seen[:, :, ~special], whole[:, :, ~special])


def test_renormalised_rows_sum_to_1_where_anything_is_seen(maps):
    found = with_special(maps, replace(VIEW, special="renormalised"))
    for layer in found.maps.cross:
        np.testing.assert_allclose(layer.sum(-1), 1, atol=1e-5)
    for layer in found.maps.decoder:
        np.testing.assert_allclose(layer[:, 1:].sum(-1), 1, atol=1e-5)
        assert (layer[:, 0] == 0).all(), "the first row looks at the start symbol alone"


def test_words_join_pieces(maps):
    found = united(maps, replace(VIEW, unit="words"))
    assert [token.piece for token in found.source.tokens] == [
        "My", "neighbour", "keeps", "bees", "and", "gives", "us", "honey", ".", "</s>",
    ]  # fmt: skip
