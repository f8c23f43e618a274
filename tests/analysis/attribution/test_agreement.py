"""How far methods agree."""

from itertools import combinations

import numpy as np
import pytest

from headscope.analysis.attribution.agreement import agreement, agreement_of, kendall_tau, top_overlap
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError


def test_tau_by_hand():
    # Pairs: 12 agrees, 13 agrees, 14 agrees, 23 disagrees, 24 agrees, 34 agrees.
    assert kendall_tau(np.array([1, 2, 3, 4]), np.array([1, 3, 2, 4])) == pytest.approx(4 / 6)
    # One tie of three pairs: (2 agree) / sqrt(2 · 3).
    assert kendall_tau(np.array([1, 1, 2]), np.array([1, 2, 3])) == pytest.approx(2 / 6**0.5)
    assert np.isnan(kendall_tau(np.array([1, 1]), np.array([1, 2])))
    assert np.isnan(kendall_tau(np.array([1.0]), np.array([1.0])))


@pytest.mark.parametrize("seed", range(5))
def test_tau_with_ties_by_counting_pairs(seed):
    """Tau-b (Kendall 1945): agreeing minus disagreeing pairs, over the root of those without a tie in one and in the
    other."""
    a, b = np.random.default_rng(seed).integers(0, 5, (2, 12))
    agree = disagree = free_a = free_b = 0
    for i, j in combinations(range(12), 2):
        product = (a[i] - a[j]) * (b[i] - b[j])
        agree, disagree = agree + (product > 0), disagree + (product < 0)
        free_a, free_b = free_a + (a[i] != a[j]), free_b + (b[i] != b[j])
    assert kendall_tau(a, b) == pytest.approx((agree - disagree) / (free_a * free_b) ** 0.5)


def test_overlap_by_hand():
    assert top_overlap(np.array([9, 8, 1, 0]), np.array([9, 0, 8, 1]), 2) == 0.5
    assert top_overlap(np.array([9, 8, 1, 0]), np.array([0, 0, 8, 1]), 2) == 0


def test_over_rows_and_only_what_a_row_has_read():
    one = {"a": np.array([[1, 9, 9], [2, 1, 9], [3, 2, 1]]), "b": np.array([[1, 5, 5], [1, 2, 5], [3, 2, 1]])}
    found = agreement_of(one, side="target", top=1)
    # Row 0 has one token; row 1 disagrees, row 2 agrees.
    assert found.tau[0, 1] == pytest.approx(0)
    assert found.overlap[0, 1] == pytest.approx(0.5)
    assert found.expected == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_of_attributions(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found = agreement([attribute(translator, pair, method) for method in ("saliency", "attention", "occlusion")])
    assert found.methods == ("saliency", "attention", "occlusion")
    assert np.diag(found.tau) == pytest.approx(1)
    np.testing.assert_array_equal(found.tau, found.tau.T)
    assert (found.top, found.expected) == (3, pytest.approx(3 / 5))
    assert list(found.to_pandas().other) == ["attention", "occlusion", "occlusion"]
    with pytest.raises(HeadscopeError, match="different sentences"):
        agreement([attribute(translator, sentence_pair(translator, "a", text), "attention") for text in ("b", "c")])
    with pytest.raises(HeadscopeError, match="the 0 largest tokens are none"):
        agreement([attribute(translator, pair, "attention")], top=0)
