"""What a beam search finds, against brute force and by hand."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.search.beam import SentenceSearch, beam_search, best_extensions, likeliest
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Bound, Ending, Fate
from tests.model.search.toy_language import ToyStepper, brute_force, plain_beam_search, random_language, scripted
from tests.model.search.toy_searches import START, assert_same, found, search, searches, trace

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
    row, piece, log_prob = best_extensions(likeliest(log_probs, count), totals, count)
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
    _, piece, _ = best_extensions(likeliest(log_probs, 2), torch.tensor([[-1e4]], dtype=torch.float64), 2)
    assert piece.tolist() == [[1, 0]]
    rows = torch.tensor([[[-1.0001], [-1.0]]])
    row, _, _ = best_extensions(likeliest(rows, 2), torch.full((1, 2), -1e4, dtype=torch.float64), 2)
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
        ({"beam": 0}, "beam 0: .* between 1 and 200"),
        ({"n_best": 0}, "n-best 0: .* between 1 and 200"),
        ({"beam": 4, "n_best": 5}, "n-best 5 .* not 4: raise it or ask for fewer"),
        ({"extra_length": -1}, "extra length -1: .* between 0 and 100,000"),
        ({"longest": 0}, "longest 0: .* between 1 and 100,000"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(HeadscopeError, match=message):
        SearchSettings(**wrong)
