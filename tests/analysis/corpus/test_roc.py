import numpy as np
import pytest

from headscope.analysis.corpus.roc import roc
from headscope.model.errors import HeadscopeError


def test_area_is_the_chance_that_a_positive_scores_higher():
    chance = np.random.default_rng(0)
    scores, positive = chance.integers(6, size=40).astype(float), chance.random(40) < 0.4
    pairs = [(p > n) + (p == n) / 2 for p in scores[positive] for n in scores[~positive]]
    found = roc(scores, positive)
    assert found.area == pytest.approx(np.mean(pairs))
    assert found.low < found.area < found.high
    assert (found.positives, found.negatives) == (positive.sum(), 40 - positive.sum())


def test_the_curve_by_hand():
    found = roc(np.array([3.0, 2.0, 2.0, 1.0]), np.array([True, True, False, False]))
    np.testing.assert_allclose(found.false_positive, [0, 0, 0.5, 1])
    np.testing.assert_allclose(found.true_positive, [0, 0.5, 1, 1])
    assert found.area == 0.875


def test_perfect_inverted_and_blind_scores():
    positive = np.repeat([True, False], 20)
    assert roc(positive.astype(float), positive).area == 1
    assert roc(-positive.astype(float), positive).area == 0
    blind = roc(np.zeros(40), positive)
    assert (blind.area, blind.low, blind.high) == (0.5, 0.5, 0.5)


def test_items_drawn_together_widen_the_interval():
    """Ten copies of each item are no more evidence than one."""
    chance = np.random.default_rng(1)
    scores, positive = chance.normal(size=30), chance.random(30) < 0.5
    once = roc(scores, positive)
    copies = roc(np.repeat(scores, 10), np.repeat(positive, 10), np.repeat(np.arange(30), 10))
    alone = roc(np.repeat(scores, 10), np.repeat(positive, 10))
    assert copies.area == pytest.approx(once.area)
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))
    assert alone.high - alone.low < (once.high - once.low) / 2


@pytest.mark.parametrize("positive", [np.ones(3, bool), np.zeros(3, bool)])
def test_one_class_alone_is_refused(positive):
    with pytest.raises(HeadscopeError, match="of 3 items"):
        roc(np.arange(3.0), positive)
