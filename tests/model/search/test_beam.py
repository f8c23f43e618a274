import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.errors import HeadscopeError
from model.search.beam import SearchSettings, SentenceSearch, beam_search, best_extensions
from model.search.penalty import LengthPenalty
from model.search.trace import Bound, Ending, Fate, SearchTrace
from tests.model.search.toy_language import (
    Found,
    Language,
    ToyStepper,
    brute_force,
    plain_beam_search,
    random_language,
    scripted,
)

START = 99


def search(
    languages: list[Language], longest: list[int], end: int = 3, *, alternatives: int = 0, **settings
) -> list[SentenceSearch]:
    return beam_search(
        ToyStepper(languages, START),
        start=START,
        end=end,
        longest=longest,
        settings=SearchSettings(**settings),
        alternatives=alternatives,
    )


def trace(language: Language, longest: int, end: int = 3, **settings: Any) -> SearchTrace:
    return search([language], [longest], end, **settings)[0].trace()


def found(result: SearchTrace | SentenceSearch) -> list[Found]:
    hypotheses = result.hypotheses() if isinstance(result, SentenceSearch) else result.hypotheses
    return [Found(h.pieces, h.total, h.score, h.finished) for h in hypotheses]


def assert_same(ours: list[Found], expected: list[Found]) -> None:
    assert [(h.pieces, h.finished) for h in ours] == [(h.pieces, h.finished) for h in expected]
    assert [h.total for h in ours] == pytest.approx([h.total for h in expected], abs=1e-12)
    assert [h.score for h in ours] == pytest.approx([h.score for h in expected], abs=1e-12)


# Against other ways to find the best


@pytest.mark.parametrize("kind", ["gnmt", "power"])
@pytest.mark.parametrize("alpha", [-1.0, -0.3, 0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("n_best", [1, 4])
def test_beam_that_holds_everything_equals_brute_force(kind, alpha, n_best):
    penalty = LengthPenalty(alpha, kind)
    for seed in range(3):
        language = random_language(seed)
        expected = brute_force(language, 3, 5, penalty)[:n_best]
        assert_same(found(trace(language, 5, beam=81, n_best=n_best, penalty=penalty)), expected)


PENALTIES = st.builds(
    LengthPenalty, st.sampled_from([-1.0, -0.2, 0.0, 0.6, 1.0, 3.0]), st.sampled_from(["gnmt", "power"])
)


@st.composite
def searches(draw):
    """Languages, the greatest length of each sentence, and settings."""
    pieces = draw(st.integers(2, 6))
    impossible = draw(st.sampled_from([0.0, 0.0, 0.3, 0.7]))
    seeds = draw(st.lists(st.integers(0, 10_000), min_size=1, max_size=4, unique=True))
    longest = [draw(st.integers(1, 7)) for _ in seeds]
    beam = draw(st.integers(1, 6))
    settings = {
        "beam": beam,
        "n_best": draw(st.integers(1, beam)),
        "penalty": draw(PENALTIES),
        "finish": draw(st.sampled_from(["any", "top"])),
    }
    return [random_language(seed, pieces, impossible) for seed in seeds], longest, pieces - 1, settings


@given(searches())
def test_equals_a_search_that_never_ends_early(case):
    languages, longest, end, settings = case
    for result, language, limit in zip(search(languages, longest, end, **settings), languages, longest, strict=True):
        assert_same(found(result), plain_beam_search(language, end, limit, SearchSettings(**settings)))


@given(searches())
def test_neighbours_make_no_difference(case):
    languages, longest, end, settings = case
    together = search(languages, longest, end, **settings)
    for result, language, limit in zip(together, languages, longest, strict=True):
        assert result.trace() == trace(language, limit, end, **settings)


def test_easy_sentence_leaves_the_batch():
    """It ends at the first step; nothing is appended to it while the hard one goes on."""
    easy = scripted({(): [0.01, 0.01, 0.01, 0.97]})
    hard = scripted({(): [0.9, 0.05, 0.05, 0]})
    results = search([easy, hard], [9, 9], beam=2)
    assert found(results[0])[0].pieces == ()
    assert len(results[0].trace().steps) == 1
    assert found(results[1])[0].pieces == (0,) * 9


def test_model_is_asked_no_more_often_than_needed():
    languages = [scripted({(): [0.01, 0.01, 0.01, 0.97]}), random_language(1)]
    stepper = ToyStepper(languages, START)
    results = beam_search(stepper, start=START, end=3, longest=[20, 6], settings=SearchSettings(beam=3))
    assert stepper.steps == max(len(result.trace().steps) for result in results)


# Length


SHORT_OR_LONG = scripted({(): [0.5, 0, 0, 0.5], (0,): [0.95, 0, 0, 0.05], (0, 0, 0, 0): [0.01, 0, 0, 0.99]})


@pytest.mark.parametrize(("alpha", "pieces"), [(0.0, ()), (1.0, (0, 0, 0, 0))])
def test_first_finished_is_not_always_best(alpha, pieces):
    penalty = LengthPenalty(alpha)
    best = found(trace(SHORT_OR_LONG, 6, beam=4, penalty=penalty))
    assert best[0].pieces == pieces
    assert_same(best, brute_force(SHORT_OR_LONG, 3, 6, penalty)[:1])


def test_finished_hypothesis_keeps_the_score_of_its_own_length():
    result = trace(SHORT_OR_LONG, 6, beam=4, n_best=4, penalty=LengthPenalty(0.6))
    short = next(h for h in result.hypotheses if h.pieces == ())
    assert short.score == pytest.approx(math.log(0.5))  # lp(1) = 1
    finished = [c for step in result.steps for c in step.candidates if c.fate is Fate.FINISHED]
    assert {c.score for c in finished} == {h.score for h in result.hypotheses}
    for c in finished:
        assert c.score == pytest.approx(c.total / ((5 + c.step + 1) / 6) ** 0.6, abs=1e-12)


def test_sentence_that_never_ends():
    endless = scripted({(): [0.5, 0.3, 0.2, 0]})
    result = trace(endless, 5, beam=3, n_best=3)
    assert len(result.hypotheses) == 3
    for hypothesis in result.hypotheses:
        assert len(hypothesis.pieces) == len(hypothesis.log_probs) == 5
        assert not hypothesis.finished
        assert hypothesis.total == pytest.approx(sum(hypothesis.log_probs), abs=1e-12)
        assert hypothesis.score == pytest.approx(hypothesis.total / (10 / 6) ** 0.6, abs=1e-12)
    assert result.hypotheses[0].pieces == (0, 0, 0, 0, 0)
    assert result.bound == Bound(Ending.LENGTH, None, None)


def test_only_the_end_of_sentence_is_taken_off():
    sentence = scripted({(): [1, 0, 0, 0], (0,): [0, 1, 0, 0], (0, 1): [0, 0, 0, 1]})
    (hypothesis,) = trace(sentence, 9, beam=2).hypotheses
    assert hypothesis.pieces == (0, 1)
    assert hypothesis.log_probs == (0, 0, 0)
    assert hypothesis.finished


@pytest.mark.parametrize("beam", [1, 3])
def test_greatest_length_of_one(beam):
    result = trace(random_language(0), 1, beam=beam)
    assert len(result.steps) == 1


@given(st.integers(0, 1000))
def test_greedy_takes_the_best_piece_each_time(seed):
    language = random_language(seed, 5)
    pieces: list[int] = []
    while len(pieces) < 8 and 4 not in pieces:
        following = language(tuple(pieces))
        pieces.append(following.index(max(following)))
    (hypothesis,) = trace(language, 8, end=4, beam=1).hypotheses
    assert hypothesis.finished == (pieces[-1] == 4)
    assert hypothesis.pieces == tuple(piece for piece in pieces if piece != 4)


@given(searches())
def test_hypotheses_are_different_from_each_other(case):
    languages, longest, end, settings = case
    for result in search(languages, longest, end, **settings):
        pieces = [hypothesis.pieces for hypothesis in result.hypotheses()]
        assert len(set(pieces)) == len(pieces)


# What the trace says


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


# Its parts


@given(
    sentences=st.integers(1, 3),
    rows=st.integers(1, 4),
    pieces=st.integers(1, 6),
    count=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_best_extensions_are_those_of_a_full_sort(sentences, rows, pieces, count, seed):
    generator = torch.Generator().manual_seed(seed)
    log_probs = torch.randn(sentences, rows, pieces, generator=generator)
    log_probs[torch.rand(log_probs.shape, generator=generator) < 0.2] = -math.inf
    totals = torch.randn(sentences, rows, generator=generator, dtype=torch.float64)
    row, piece, log_prob = best_extensions(log_probs, totals, count)
    for n in range(sentences):
        everything = sorted(
            ((float(totals[n, r]) + float(log_probs[n, r, v]) for r in range(rows) for v in range(pieces))),
            reverse=True,
        )
        chosen = list(zip(row[n].tolist(), piece[n].tolist(), log_prob[n].tolist(), strict=True))
        assert len({(r, v) for r, v, _ in chosen}) == len(chosen) == min(count, rows * min(count, pieces))
        assert [float(totals[n, r]) + value for r, _, value in chosen] == everything[: len(chosen)]
        assert all(value == float(log_probs[n, r, v]) for r, v, value in chosen)


def test_sums_are_float64():
    """At a total of -10,000 float32 cannot tell two candidates apart that differ by 1e-4."""
    log_probs = torch.tensor([[[-1.0, -1.0001]]]).flip(-1)
    _, piece, _ = best_extensions(log_probs, torch.tensor([[-1e4]], dtype=torch.float64), 2)
    assert piece.tolist() == [[1, 0]]
    rows = torch.tensor([[[-1.0001], [-1.0]]])
    row, _, _ = best_extensions(rows, torch.full((1, 2), -1e4, dtype=torch.float64), 2)
    assert row.tolist() == [[1, 0]]


def test_nothing_is_told_before_the_search_is_done():
    sentence = SentenceSearch(3, 9, SearchSettings())
    assert not sentence.done
    assert sentence.totals() == [0.0]
    with pytest.raises(AssertionError, match="still going on"):
        sentence.trace()


def test_defaults_are_the_paper():
    settings = SearchSettings()
    assert (settings.beam, settings.n_best, settings.extra_length) == (4, 1, 50)
    assert settings.penalty == LengthPenalty(0.6, "gnmt")
    assert (settings.longest, settings.finish) == (None, "any")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"beam": 0}, "beam 0 .* at least 1"),
        ({"n_best": 0}, "n-best 0 .* at least 1"),
        ({"beam": 4, "n_best": 5}, "n-best 5 .* not 4: raise it or ask for fewer"),
        ({"extra_length": -1}, "extra length -1 .* at least 0"),
        ({"longest": 0}, "longest 0 .* at least 1"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(HeadscopeError, match=message):
        SearchSettings(**wrong)
