"""Shares of the variance over keys, by hand."""

import numpy as np

from headscope.analysis.positions.terms import PARTS, ScoreTerms, pooled
from headscope.analysis.records.attention_maps import Tokens


def handmade(terms: dict[tuple[str, str], list[list[float]]], allowed=((True, True), (True, True))) -> ScoreTerms:
    whole = np.zeros((1, 3, 3, 2, 2))
    for (query, key), values in terms.items():
        whole[0, PARTS.index(query), PARTS.index(key)] = values
    return ScoreTerms(Tokens("", ()), whole, np.array(allowed))


def test_a_term_that_works_against_the_others_has_a_negative_share():
    found = handmade({("content", "content"): [[3, 0], [0, 0]], ("position", "position"): [[-1, 0], [0, 0]]})
    np.testing.assert_allclose(found.shares[0, :2, :2], [[1.5, 0], [0, -0.5]])


def test_what_is_alike_for_all_keys_has_none():
    found = handmade({("content", "constant"): [[9, 9], [-5, -5]], ("position", "content"): [[1, 2], [2, 1]]})
    np.testing.assert_allclose(found.shares[0], [[0, 0, 0], [1, 0, 0], [0, 0, 0]])


def test_keys_that_may_not_be_seen_do_not_count():
    found = handmade({("content", "content"): [[1, 99], [0, 2]]}, ((True, False), (True, True)))
    covariance, variance = found.variances
    assert (covariance[0, 0, 0], variance[0]) == (1, 1)


def test_a_head_that_does_not_choose_has_no_shares_and_sentences_are_pooled_by_variance():
    still = handmade({})
    assert np.isnan(still.shares).all()
    one = handmade({("content", "content"): [[2, 0], [0, 0]]})
    other = handmade({("position", "position"): [[4, 0], [0, 0]]})
    found = pooled([one.variances, other.variances])
    np.testing.assert_allclose(found.share[0, :2, :2], [[0.2, 0], [0, 0.8]])
    np.testing.assert_allclose(found.deviation[0, 0, 0], 0.5)
    assert found.sentences == 2
