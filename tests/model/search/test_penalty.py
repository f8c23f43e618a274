import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty


@pytest.mark.parametrize(
    ("length", "gnmt", "power"),
    [(1, 1, 1), (5, 1.359, 2.627), (10, 1.733, 3.981), (20, 2.354, 6.034), (50, 3.779, 10.456)],
)
def test_published_table(length, gnmt, power):
    assert LengthPenalty(0.6).normaliser(length) == pytest.approx(gnmt, abs=5e-4)
    assert LengthPenalty(0.6, "power").normaliser(length) == pytest.approx(power, abs=5e-4)


def test_in_words():
    assert str(LengthPenalty(0.6)) == "0.6"
    assert str(LengthPenalty(-1.0, "power")) == "-1 (power)"


def test_score():
    assert LengthPenalty(1.0).score(-6.0, 7) == pytest.approx(-3)  # (5 + 7) / 6 = 2
    assert LengthPenalty(1.0, "power").score(-6.0, 3) == pytest.approx(-2)
    assert LengthPenalty(-1.0, "power").score(-6.0, 3) == pytest.approx(-18)
    assert LengthPenalty(0.0).score(-6.0, 40) == -6


@given(
    alpha=st.floats(-2, 2),
    kind=st.sampled_from(["gnmt", "power"]),
    total=st.floats(-50, 0),
    shortest=st.integers(1, 30),
    more=st.integers(0, 30),
)
def test_best_is_the_best_over_all_lengths(alpha, kind, total, shortest, more):
    penalty = LengthPenalty(alpha, kind)
    scores = [penalty.score(total, length) for length in range(shortest, shortest + more + 1)]
    assert penalty.best(total, shortest, shortest + more) == pytest.approx(max(scores), rel=1e-12)


@pytest.mark.parametrize("alpha", [1000.0, -1000.0, float("nan"), float("inf")])
def test_alpha_that_cannot_be_computed_with(alpha):
    with pytest.raises(HeadscopeError, match=f"length penalty {alpha:g}: choose .* between -10 and 10"):
        LengthPenalty(alpha)


@pytest.mark.parametrize("alpha", [-10.0, 10.0])
def test_greatest_alphas(alpha):
    assert LengthPenalty(alpha, "power").score(-700.0, 2_000) < 0
