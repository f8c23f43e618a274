"""What a beam search tells: every candidate and its fate, why it ended, what was expected at every step."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.sentence import Extension, SentenceSearch, allotted
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Bound, Ending, Fate, SearchTrace
from tests.model.search.toy_language import Found, scripted
from tests.model.search.toy_searches import found, search, searches, trace


def test_every_fate_by_hand():
    """Words a and b, beam 2, plain log-probabilities: see the comments for the products."""
    a, b, end = 0, 1, 2
    language = scripted({(): [0.5, 0.3, 0.2], (a,): [0.1, 0.2, 0.7], (b,): [0.6, 0.3, 0.1]})
    result = trace(language, 9, end, beam=2, penalty=LengthPenalty(0.0))

    table = [
        [(c.parent, c.piece, round(math.exp(c.total), 6), str(c.fate)) for c in step.candidates]
        for step in result.steps
    ]
    assert table == [
        [(0, a, 0.5, "kept"), (0, b, 0.3, "kept"), (0, end, 0.2, "displaced")],
        [(0, end, 0.35, "finished"), (1, a, 0.18, "cut off"), (0, b, 0.1, "cut off"), (1, b, 0.09, "pruned")],
    ]
    displaced, pruned = result.steps[0].candidates[2], result.steps[1].candidates[3]
    assert displaced.margin == pytest.approx(math.log(0.2 / 0.35))
    assert pruned.margin == pytest.approx(math.log(0.09 / 0.1))
    assert all((c.margin is None) == (c not in (displaced, pruned)) for step in result.steps for c in step.candidates)
    assert result.bound.ending is Ending.BOUND
    assert result.bound.best_possible == pytest.approx(math.log(0.18))
    assert result.bound.worst_returned == pytest.approx(math.log(0.35))
    (hypothesis,) = result.hypotheses
    assert hypothesis.pieces == (a,)
    assert hypothesis.log_probs == pytest.approx((math.log(0.5), math.log(0.7)))


def test_end_that_comes_too_late_is_pruned():
    """In fairseq and others the first `beam` candidates alone may end."""
    language = scripted({(): [0.5, 0.35, 0.15, 0], (0,): [0.7, 0.1, 0, 0.2], (1,): [0.06, 0.04, 0, 0.9]})
    # After the first step: 0 0 (.35), 1 end (.315), 0 end (.1), 0 1 (.05).
    free, strict = (trace(language, 2, beam=2, n_best=2, finish=finish) for finish in ("any", "top"))
    assert [str(c.fate) for c in free.steps[1].candidates] == ["cut off", "finished", "finished", "cut off"]
    assert [str(c.fate) for c in strict.steps[1].candidates] == ["cut off", "finished", "pruned", "cut off"]
    penalty = LengthPenalty().normaliser(2)
    assert strict.steps[1].candidates[2].margin == pytest.approx(math.log(0.1 / 0.315) / penalty)
    assert [h.pieces for h in strict.hypotheses] == [(1,), (0, 0)]


def test_search_ends_when_no_hypothesis_is_left():
    language = scripted({(): [0.6, 0, 0, 0.4], (0,): [0, 0, 0, 1]})
    result = trace(language, 9, beam=4, n_best=4)
    assert result.bound == Bound(Ending.EXHAUSTED, None, None)
    assert sorted(h.pieces for h in result.hypotheses) == [(), (0,)]


@pytest.mark.parametrize(("alpha", "length"), [(1.0, 9), (0.0, 9), (-1.0, 3)])
def test_bound_takes_the_kindest_length(alpha, length):
    """After two steps the best live hypothesis can end with 3 to 9 pieces."""
    language = scripted({(): [0.8, 0.1, 0, 0.1], (0,): [0.05, 0.05, 0, 0.9]})
    result = trace(language, 9, beam=2, penalty=LengthPenalty(alpha))
    assert len(result.steps) == 2
    best_live = max(c.total for c in result.steps[-1].kept)
    assert result.bound.best_possible == pytest.approx(best_live / ((5 + length) / 6) ** alpha)
    assert result.bound.worst_returned == result.hypotheses[0].score


@given(searches())
def test_trace_is_complete_and_adds_up(case):
    languages, longest, end, settings = case
    beam, n_best, penalty = settings["beam"], settings["n_best"], settings["penalty"]
    for language, limit in zip(languages, longest, strict=True):
        result = trace(language, limit, end, **settings)
        finished = []
        live = [()]
        for number, step in enumerate(result.steps):
            final = number == len(result.steps) - 1
            possible = sum(value > -math.inf for read in live for value in language(read))
            assert len(step.candidates) == min(possible, 2 * beam)
            assert [c.score for c in step.candidates] == sorted((c.score for c in step.candidates), reverse=True)
            for index, c in enumerate(step.candidates):
                path = list(result.ancestors(number, index))[::-1]
                assert [node.step for node in path] == list(range(number + 1))
                pieces = tuple(node.piece for node in path)
                assert pieces[:-1] == live[c.parent]
                assert c.log_prob == language(pieces[:-1])[c.piece]
                assert c.total == sum(node.log_prob for node in path)
                assert c.score == penalty.score(c.total, number + 1)
                assert not c.forced
                may_end = index < (beam if beam == 1 or settings["finish"] == "top" else 2 * beam)
                assert (c.fate in (Fate.FINISHED, Fate.DISPLACED)) == (c.piece == end and may_end)
                assert (c.margin is not None) == (c.fate in (Fate.PRUNED, Fate.DISPLACED))
                assert c.margin is None or c.margin <= 0
                assert c.fate is not Fate.CUT_OFF or final
                assert c.fate is not Fate.KEPT or not final
                if c.fate is Fate.PRUNED:
                    last = step.candidates[beam - 1] if c.piece == end or beam == 1 else step.kept[beam - 1]
                    assert c.margin == c.score - last.score
                if c.fate in (Fate.FINISHED, Fate.DISPLACED):
                    finished.append((c, pieces))
            live = [result.path(number, step.candidates.index(c)) for c in step.kept]
            assert len(live) <= beam

        returned = {(c.score, pieces) for c, pieces in finished if c.fate is Fate.FINISHED}
        assert returned == {(h.score, (*h.pieces, end)) for h in result.hypotheses if h.finished}
        worst = min((h.score for h in result.hypotheses if h.finished), default=None)
        assert all(c.score <= worst for c, _ in finished if c.fate is Fate.DISPLACED)

        bound, length = result.bound, len(result.steps)
        assert bound.worst_returned == (worst if len(returned) == n_best else None)
        assert (bound.ending is Ending.EXHAUSTED) == (not live)
        if bound.ending is Ending.LENGTH:
            assert length == limit
        if bound.ending is Ending.BOUND:
            total = max(c.total for c in result.steps[-1].kept)
            reachable = [penalty.score(total, n) for n in range(length + 1, limit + 1)]
            assert bound.best_possible == pytest.approx(max(reachable), rel=1e-12)
            assert bound.worst_returned >= bound.best_possible
        else:
            assert bound.best_possible is None


def replay(trace: SearchTrace, end: int, n_best: int) -> list[Found]:
    """The hypotheses, from the candidates and their fates alone."""
    found = [
        (c, trace.path(number, index))
        for number, step in enumerate(trace.steps)
        for index, c in enumerate(step.candidates)
        if c.fate in (Fate.FINISHED, Fate.CUT_OFF)
    ]
    found.sort(key=lambda item: (item[0].fate is Fate.CUT_OFF, -item[0].score))
    return [
        Found(path[: -1 if path[-1] == end else None], c.total, c.score, c.fate is Fate.FINISHED)
        for c, path in found[:n_best]
    ]


@given(searches())
def test_replay_gives_the_hypotheses(case):
    languages, longest, end, settings = case
    for result in search(languages, longest, end, **settings):
        assert replay(result.trace(), end, settings["n_best"]) == found(result)


def test_greedy_shows_what_it_passed_over():
    language = scripted({(): [0.5, 0.3, 0.2], (0,): [0.2, 0.3, 0.5]})
    result = trace(language, 9, 2, beam=1)
    assert [[(c.piece, str(c.fate)) for c in step.candidates] for step in result.steps] == [
        [(0, "kept"), (1, "pruned")],
        [(2, "finished"), (1, "pruned")],
    ]
    assert result.steps[0].candidates[1].margin == pytest.approx(math.log(0.3 / 0.5))
    assert result.steps[1].candidates[1].margin == pytest.approx(math.log(0.3 / 0.5) / LengthPenalty().normaliser(2))


# What was expected of every live hypothesis


def test_predictions_by_hand():
    """Words a and b: after a, the end of sentence; after b, anything."""
    language = scripted({(): [0.5, 0.25, 0.25], (0,): [0, 0, 1], (1,): [0.2, 0.5, 0.3]})
    steps = trace(language, 3, 2, beam=2, n_best=2, alternatives=2).steps
    (first,) = steps[0].predictions
    assert first.entropy == pytest.approx(1.5 * math.log(2))
    assert (first.pieces[0], first.log_probs) == (0, pytest.approx((math.log(0.5), math.log(0.25))))
    assert first.rest == pytest.approx(0.25)
    sure, unsure = steps[1].predictions
    assert (sure.entropy, sure.pieces, sure.log_probs, sure.rest) == (0, (2,), (0,), 0)
    assert unsure.entropy == pytest.approx(-sum(p * math.log(p) for p in (0.2, 0.5, 0.3)))
    assert (unsure.pieces, unsure.rest) == ((1, 2), pytest.approx(0.2))


@given(searches(), st.integers(1, 9))
def test_every_live_hypothesis_has_its_prediction(case, alternatives):
    languages, longest, end, settings = case
    results = search(languages, longest, end, alternatives=alternatives, **settings)
    for language, result in zip(languages, (result.trace() for result in results), strict=True):
        live = [()]
        for number, step in enumerate(result.steps):
            assert len(step.predictions) == len(live)
            for read, prediction in zip(live, step.predictions, strict=True):
                following = language(read)
                ordered = sorted((p for p in following if p > -math.inf), reverse=True)
                assert list(prediction.log_probs) == ordered[:alternatives]
                assert [following[piece] for piece in prediction.pieces] == list(prediction.log_probs)
                assert prediction.rest == pytest.approx(sum(map(math.exp, ordered[alternatives:])), abs=1e-12)
                assert prediction.entropy == pytest.approx(-sum(math.exp(p) * p for p in ordered), abs=1e-12)
            live = [result.path(number, index) for index, c in enumerate(step.candidates) if c in step.kept]


# One sentence, without a model


def test_a_search_step_by_step():
    """End is 9; the beam is 2."""
    search = SentenceSearch(9, 3, SearchSettings(beam=2, n_best=1, penalty=LengthPenalty(0.0)))
    assert (search.totals(), search.paths(), search.done) == ([0.0], [()], False)
    search.advance([Extension(0, 4, -1.0), Extension(0, 5, -2.0), Extension(0, 6, -3.0)])
    assert (search.totals(), search.paths(), search.done) == ([-1.0, -2.0], [(4,), (5,)], False)
    search.advance([Extension(1, 9, -0.5, True), Extension(0, 4, -2.0, True)], excluded=[Extension(0, 7, -0.25)])
    assert search.done
    (best,) = search.hypotheses()
    assert (best.pieces, best.log_probs, best.total, best.finished) == ((5,), (-2.0, -0.5), -2.5, True)
    second = search.trace().steps[1].candidates
    assert [(c.piece, str(c.fate), c.forced) for c in second] == [
        (7, "excluded", False),
        (9, "finished", True),
        (4, "cut off", True),
    ]
    assert search.trace().bound == Bound(Ending.BOUND, -3.0, -2.5)


def test_what_is_cut_off_fills_the_places_of_what_has_not_finished():
    search = SentenceSearch(9, 1, SearchSettings(beam=2, n_best=2, penalty=LengthPenalty(0.0)))
    search.advance([Extension(0, 4, -1.0), Extension(0, 9, -2.0)])
    assert [(h.pieces, h.finished) for h in search.hypotheses()] == [((), True), ((4,), False)]
    assert search.trace().bound.ending is Ending.LENGTH


@pytest.mark.parametrize(
    ("going_on", "beam", "room"),
    [
        ({0: 9}, 4, {0: 4}),
        ({0: 9, 1: 9}, 4, {0: 2, 1: 2}),
        ({0: 9, 1: 9}, 1, {0: 0, 1: 1}),
        ({0: 9, 1: 1, 2: 9, 3: 9}, 4, {0: 1, 1: 1, 2: 1, 3: 1}),
        ({0: 9, 1: 9, 2: 9, 3: 9}, 2, {0: 1, 1: 0, 2: 0, 3: 1}),
        ({0: 9, 3: 1, 2: 0}, 4, {0: 3, 3: 1, 2: 0}),
        ({0: 9, -1: 9}, 3, {0: 2, -1: 1}),
        ({0: 9, -1: 9}, 1, {0: 1, -1: 0}),
        ({-1: 2, -2: 1}, 4, {-1: 2, -2: 1}),
    ],
)
def test_the_beam_is_shared_out_among_banks(going_on, beam, room):
    assert allotted(going_on, beam) == room
