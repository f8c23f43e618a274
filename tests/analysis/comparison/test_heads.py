"""Heads of two models in one sentence."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.comparison.heads import (
    alone,
    compared_head,
    head_difference,
    head_divergences,
    heads_in,
    nearest_head,
)
from headscope.analysis.positions.matching import divergences
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import letters, random_maps


def test_divergences_are_those_over_a_corpus_of_one_sentence(exact):
    a, b = exact(), exact(norm="pre")
    pair = corpus_pairs(a, [("a b c d", "e f g")])[0]
    expected = divergences(a, b, [pair])
    records = [record(each, pair) for each in (a, b)]
    for kind in ("encoder", "decoder", "cross"):
        np.testing.assert_allclose(head_divergences(*records, kind), expected[kind][0], rtol=0, atol=1e-12)


def test_the_nearest_head_of_a_shuffled_copy_is_the_head_itself():
    maps = random_maps(letters(5), letters(4))
    turned = maps.mapped(lambda _, layer: layer[::-1], "turned")
    for head in heads_in(maps, "encoder"):
        found, apart = nearest_head(maps, head, turned)
        assert found == Head("encoder", head.layer, 2 - head.head)
        assert apart == pytest.approx(0, abs=1e-12)


def test_what_cannot_be_compared_is_refused():
    maps = random_maps(letters(5), letters(4))
    with pytest.raises(HeadscopeError, match="let the records meet first"):
        head_divergences(maps, random_maps(letters(4), letters(4)), "cross")
    short = random_maps(letters(1), letters(1))
    with pytest.raises(HeadscopeError, match="take a longer sentence"):
        nearest_head(short, Head("cross", 0, 0), short)


def test_one_head_less_another():
    a, b = (random_maps(letters(3), letters(2), seed=seed) for seed in (1, 2))
    found = head_difference(a, Head("cross", 2, 1), b, Head("cross", 0, 0))
    assert found.quantity == "difference"
    np.testing.assert_allclose(found.cross[0][0], a.cross[2][1] - b.cross[0][0], rtol=0, atol=1e-12)
    with pytest.raises(HeadscopeError, match="compare heads of one kind"):
        head_difference(a, Head("cross", 0, 0), b, Head("encoder", 0, 0))
    with pytest.raises(HeadscopeError, match=r"there is no head cross 9\.1"):
        alone(a, Head("cross", 8, 0))


def test_a_head_is_looked_for_in_every_other_model(coarse, fine):
    source, head = "The old house by the river.", Head("cross", 1, 0)
    found = compared_head([coarse, fine, coarse], source, head)
    assert found.in_words
    assert [each.model for each in found.partners] == ["fine", "coarse"]
    assert found.partners[1].nearest == head
    assert found.partners[1].place == pytest.approx(0, abs=1e-9)
    assert 0 < found.partners[0].divergence <= found.partners[0].place
    assert not compared_head([coarse, coarse], source, head).in_words
    assert found.to_pandas().nearest.tolist()[1] == "cross 2.1"
    with pytest.raises(HeadscopeError, match=r"no head cross 9\.1"):
        compared_head([coarse, fine], source, Head("cross", 8, 0))
