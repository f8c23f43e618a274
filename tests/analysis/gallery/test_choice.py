"""Heads chosen on one half, numbers from the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.gallery.choice import best, for_numbers, number, others, ratio

NAN = np.nan


def test_the_best_by_its_mean_where_it_has_a_number():
    values = np.array([[0.25, NAN, NAN, 0.5], [0.5, 0.875, NAN, 0.25]])
    assert best(values) == 1
    assert best(values, least=True) == 0  # the first of two with 0.375
    assert best(np.array([[1.0, 1.0]])) == 0


def test_others():
    values = np.array([[1.0, 0.2, 0.4, 9.0], [1.0, NAN, 0.4, 9.0], [1.0, NAN, NAN, 9.0]])
    np.testing.assert_allclose(others(values, [False, True, True, False]), [0.3, 0.4, NAN])


def test_halves():
    texts = [f"Sentence {index}." for index in range(1000)]
    halves = [for_numbers(text) for text in texts]
    assert halves == [for_numbers(text) for text in texts]
    assert 450 < sum(halves) < 550


def test_shares_by_wilson():
    # Newcombe 1998, table I: 81 of 263, and 0 of 20.
    found = number(np.array([1.0] * 81 + [0.0] * 182))
    assert (found.value, found.low, found.high) == pytest.approx((0.3080, 0.2553, 0.3662), abs=5e-5)
    never = number(np.zeros(20))
    assert (never.value, never.low, never.high) == pytest.approx((0, 0, 0.1611), abs=5e-5)
    always = number(np.ones(20))
    assert (always.low, always.high) == pytest.approx((1 - 0.1611, 1), abs=5e-5)


def test_means_by_bootstrap():
    values = np.random.default_rng(1).normal(5, 2, 2000)
    found, half = number(values), 1.96 * values.std() / np.sqrt(2000)
    assert found.value == pytest.approx(values.mean(), rel=1e-5)
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 10)
    assert found.sentences == 2000


def test_a_ratio_is_one_of_sums():
    assert ratio(np.array([1.0, 3.0]), np.array([2.0, 2.0])).value == 1.0
    assert ratio(np.array([1.0, 8.0]), np.array([1.0, 9.0])).value == 0.9


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_intervals_of_shares_are_shares(values):
    found = number(np.array(values))
    assert 0 <= found.low <= found.high <= 1
    assert found == number(np.array(values))
