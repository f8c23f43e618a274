"""Where two searches part."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.search.comparison import SearchComparison, compare_searches
from headscope.model.search.beam import beam_search
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import SearchTrace
from tests.model.search.toy_language import Language, ToyStepper, random_language, scripted

A, B, END = range(3)
# Greedy search takes A, which leads to .6 · .4; B leads to .3 · .9.
MISLEADING = scripted({(): [0.6, 0.3, 0.1], (A,): [0.3, 0.3, 0.4], (B,): [0.05, 0.05, 0.9]})


def trace(language: Language, *, end: int = END, constraints: Constraints = FREE, **settings) -> SearchTrace:
    (result,) = beam_search(
        ToyStepper([language], 99),
        start=99,
        end=end,
        longest=[6],
        settings=SearchSettings(**settings),
        constraints=constraints,
    )
    return result.trace()


def test_greedy_and_beam():
    plain = LengthPenalty(0.0)
    found = compare_searches(trace(MISLEADING, beam=1, penalty=plain), trace(MISLEADING, beam=2, penalty=plain))
    assert (found.step, found.piece) == (1, 0)  # A leads both beams; then greedy ends with it, the other goes to B
    assert found.log_prob_difference == found.score_difference == pytest.approx(math.log(0.27 / 0.24))


def test_forced_piece():
    free, forced = trace(MISLEADING, beam=2), trace(MISLEADING, beam=2, constraints=Constraints(prefix=(B, A)))
    found = compare_searches(free, forced)
    assert (found.step, found.piece) == (0, 1)
    assert found.log_prob_difference == forced.hypotheses[0].total - free.hypotheses[0].total


def test_penalty_changes_only_the_end():
    """Within a step all candidates are equally long, so the penalty plays no part until hypotheses are compared."""
    language = scripted({(): [0.5, 0, 0.5], (A,): [0.9, 0, 0.1], (A, A): [0.1, 0, 0.9]})
    short, long = (trace(language, beam=2, penalty=LengthPenalty(alpha)) for alpha in (0.0, 1.0))
    found = compare_searches(short, long)
    assert found.piece == 0
    assert found.step == len(short.steps) - 1 < len(long.steps) - 1
    assert found.log_prob_difference == pytest.approx(math.log(0.9 * 0.9))


def test_nothing_left():
    nothing = trace(MISLEADING, constraints=Constraints(forbidden=frozenset({(A,), (B,), (END,)})))
    assert compare_searches(nothing, nothing) == SearchComparison(None, None, None, None)
    assert compare_searches(trace(MISLEADING), nothing) == SearchComparison(0, 0, None, None)


@given(st.integers(0, 100), st.integers(1, 5), st.integers(1, 5))
def test_same_and_swapped(seed, one, other):
    language = random_language(seed)
    a, b = trace(language, end=3, beam=one), trace(language, end=3, beam=other)
    assert compare_searches(a, a) == SearchComparison(None, None, 0.0, 0.0)
    there, back = compare_searches(a, b), compare_searches(b, a)
    assert (there.step, there.piece) == (back.step, back.piece)
    assert there.score_difference == -back.score_difference
    same = a.hypotheses[0].pieces == b.hypotheses[0].pieces and a.hypotheses[0].finished == b.hypotheses[0].finished
    assert (there.piece is None) == same
