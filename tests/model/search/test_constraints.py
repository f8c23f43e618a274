"""What if: searches that must go through a node, or may not."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.search.beam import beam_search
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Ending, Fate, SearchTrace
from tests.model.search.toy_language import Language, ToyStepper, brute_force, random_language, scripted

START, END = 99, 3
DER, EIN, HUND = 0, 1, 2
ARTICLES = scripted(
    {(): [0.2, 0.7, 0.06, 0.04], (DER,): [0.1, 0, 0.8, 0.1], (EIN,): [0, 0.1, 0.6, 0.3], (HUND,): [0.1, 0, 0, 0.9]}
)
"""It prefers Ein Hund, .7 · .6 · .9, to Der Hund, .2 · .8 · .9."""


def trace(language: Language, constraints: Constraints, *, longest: int = 6, **settings) -> SearchTrace:
    stepper = ToyStepper([language], START)
    (result,) = beam_search(
        stepper,
        start=START,
        end=END,
        longest=[longest],
        settings=SearchSettings(**settings),
        constraints=constraints,
        alternatives=3,
    )
    return result.trace()


def test_forced_piece_costs_what_it_costs():
    """Case 11: Der where the model prefers Ein."""
    free, forced = trace(ARTICLES, FREE), trace(ARTICLES, Constraints(prefix=(DER,)))
    assert free.hypotheses[0].pieces == (EIN, HUND)
    assert forced.hypotheses[0].pieces == (DER, HUND)
    assert forced.hypotheses[0].log_probs == pytest.approx([math.log(p) for p in (0.2, 0.8, 0.9)])
    difference = forced.hypotheses[0].total - free.hypotheses[0].total
    assert difference == pytest.approx(math.log(0.2 * 0.8 / (0.7 * 0.6)))

    first, second = forced.steps[:2]
    assert [(c.piece, str(c.fate), c.forced) for c in first.candidates] == [
        (EIN, "excluded", False),
        (DER, "kept", True),
        (HUND, "excluded", False),
        (END, "excluded", False),
    ]
    assert not any(c.forced or c.fate is Fate.EXCLUDED for c in second.candidates)
    (expected,) = first.predictions
    assert (expected.pieces[0], expected.log_probs[0]) == (EIN, pytest.approx(math.log(0.7)))


def test_forbidden_at_one_node_only():
    constraints = Constraints(forbidden=frozenset({(EIN, HUND), (END,)}))
    result = trace(ARTICLES, constraints, beam=4, n_best=4, longest=3)
    found = [h.pieces for h in result.hypotheses]
    assert (DER, HUND) in found
    assert not any(pieces[:2] == (EIN, HUND) or pieces == () for pieces in found)
    excluded = [(c.step, c.piece, c.margin) for s in result.steps for c in s.candidates if c.fate is Fate.EXCLUDED]
    assert excluded == [(0, END, None), (1, HUND, None)]


@st.composite
def cases(draw):
    """The seed of a language, constraints over its three words, and settings."""
    piece = st.integers(0, 2)
    prefix = tuple(draw(st.lists(piece, max_size=3)))
    ban = st.lists(piece, max_size=3).flatmap(lambda read: st.integers(0, END).map(lambda last: (*read, last)))
    forbidden = [path for path in draw(st.lists(ban, max_size=6)) if prefix[: len(path)] != path]
    penalty = LengthPenalty(draw(st.sampled_from([-0.5, 0.0, 0.6, 1.0])))
    n_best = draw(st.integers(1, 4))
    constraints = {"prefix": prefix, "forbidden": frozenset(forbidden)}
    return draw(st.integers(0, 999)), constraints, {"penalty": penalty, "n_best": n_best}


@given(cases())
def test_equals_brute_force_over_what_is_allowed(case):
    seed, options, settings = case
    language, constraints = random_language(seed), Constraints(**options)
    result = trace(language, constraints, longest=4, beam=81, **settings)

    def allowed(pieces: tuple[int, ...]) -> bool:
        begins = pieces[: len(constraints.prefix)] == constraints.prefix
        return begins and not any(pieces[: len(path)] == path for path in constraints.forbidden)

    everything = brute_force(language, END, 4, settings["penalty"])
    expected = [f for f in everything if allowed((*f.pieces, END) if f.finished else f.pieces)][: settings["n_best"]]
    assert [h.pieces for h in result.hypotheses] == [f.pieces for f in expected]
    assert [h.score for h in result.hypotheses] == pytest.approx([f.score for f in expected], abs=1e-12)
    for step, number in zip(result.steps, range(9), strict=False):
        assert [c.total for c in step.candidates] == sorted((c.total for c in step.candidates), reverse=True)
        for index, c in enumerate(step.candidates):
            path = result.path(number, index)
            assert c.log_prob == language(path[:-1])[c.piece]
            assert (c.fate is Fate.EXCLUDED) == (not allowed(path) and path != constraints.prefix[: len(path)])
            assert c.forced == (path == constraints.prefix[: len(path)])


@given(st.integers(0, 99), st.integers(1, 4))
def test_forcing_what_is_found_anyway_changes_nothing(seed, beam):
    language = random_language(seed)
    free = trace(language, FREE, beam=beam).hypotheses[0]
    whole = (*free.pieces, END) if free.finished else free.pieces
    assert trace(language, Constraints(prefix=whole), beam=beam).hypotheses == (free,)
    if beam == 1:
        for length in range(len(whole)):
            assert trace(language, Constraints(prefix=whole[:length]), beam=1).hypotheses == (free,)


def test_end_of_sentence_can_be_forced():
    result = trace(ARTICLES, Constraints(prefix=(EIN, END)))
    assert result.hypotheses[0].pieces == (EIN,)
    assert result.hypotheses[0].total == pytest.approx(math.log(0.7 * 0.3))
    assert result.bound.ending is Ending.EXHAUSTED


def test_nothing_is_left():
    result = trace(ARTICLES, Constraints(forbidden=frozenset((piece,) for piece in range(4))))
    assert result.hypotheses == ()
    assert all(c.fate is Fate.EXCLUDED for c in result.steps[0].candidates)


def test_a_sentence_beside_another():
    """All sentences of a batch have the same constraints, and no influence on each other."""
    languages = [random_language(seed) for seed in range(3)]
    constraints = Constraints(prefix=(2,), forbidden=frozenset({(2, 0), (2, 1, 1)}))
    settings = SearchSettings(beam=3, n_best=2)
    results = beam_search(
        ToyStepper(languages, START),
        start=START,
        end=END,
        longest=[5, 3, 6],
        settings=settings,
        constraints=constraints,
    )
    for language, longest, result in zip(languages, [5, 3, 6], results, strict=True):
        alone = trace(language, constraints, longest=longest, beam=3, n_best=2)
        assert result.hypotheses() == alone.hypotheses


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"forbidden": frozenset({()})}, "empty beginning"),
        ({"prefix": (1, 2), "forbidden": frozenset({(1,)})}, r"\[1\] are prescribed and forbidden"),
    ],
)
def test_contradictions(wrong, message):
    with pytest.raises(HeadscopeError, match=message):
        Constraints(**wrong)
