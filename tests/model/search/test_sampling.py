"""Translations drawn at random."""

import math
from collections import Counter

import pytest
import torch

from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.sampling import drawing_log_probs, sample
from headscope.model.search.settings import Sampling
from headscope.model.search.trace import Bound, Ending, Fate, SearchTrace
from tests.model.search.toy_language import Language, ToyStepper, random_language, scripted

START, END = 99, 3


def trace(language: Language, *, longest: int = 6, constraints: Constraints = FREE, **sampling) -> SearchTrace:
    return sample(
        ToyStepper([language], START),
        start=START,
        end=END,
        longest=longest,
        sampling=Sampling(**sampling),
        penalty=LengthPenalty(1.0),
        constraints=constraints,
        alternatives=2,
    )


def test_samples_come_as_often_as_they_are_probable():
    """Of 4,000 samples, within four standard deviations."""
    language = random_language(5)
    counts = Counter(h.pieces for h in trace(language, longest=3, count=4000).hypotheses)
    for pieces, count in counts.items():
        sentence = (*pieces, END) if len(pieces) < 3 else pieces
        chance = math.exp(sum(language(sentence[:t])[piece] for t, piece in enumerate(sentence)))
        assert abs(count - 4000 * chance) <= 4 * math.sqrt(4000 * chance) + 1


def test_log_probabilities_are_the_models_own():
    language = random_language(1)
    result = trace(language, count=20, temperature=0.7, top_k=3, top_p=0.9)
    for number, step in enumerate(result.steps):
        for index, c in enumerate(step.candidates):
            path = result.path(number, index)
            own = language(path[:-1])
            assert c.log_prob == own[c.piece]
            assert c.total == pytest.approx(sum(language(path[:t])[piece] for t, piece in enumerate(path)))
            assert c.score == pytest.approx(c.total / ((5 + len(path)) / 6))
            drawn = drawing_log_probs(torch.tensor([own]).double(), Sampling(temperature=0.7, top_k=3, top_p=0.9))
            assert c.drawn == pytest.approx(float(drawn[0, c.piece]))
            assert c.fate is (Fate.FINISHED if c.piece == END else Fate.CUT_OFF if number == 5 else Fate.KEPT)
            assert step.predictions[c.parent].log_probs[0] == max(own)
    assert len(result.hypotheses) == 20
    assert [h.score for h in result.hypotheses] == sorted((h.score for h in result.hypotheses), reverse=True)


def test_a_seed_is_a_sample():
    language = random_language(2)
    assert trace(language, count=5, seed=3) == trace(language, count=5, seed=3)
    assert trace(language, count=5, seed=3) != trace(language, count=5, seed=4)


@pytest.mark.parametrize("limit", [{"top_k": 1}, {"top_p": 1e-9}, {"temperature": 0.01}])
def test_what_leaves_one_piece_is_greedy_search(limit):
    language = random_language(3)
    pieces: list[int] = []
    while len(pieces) < 6 and END not in pieces:
        following = language(tuple(pieces))
        pieces.append(following.index(max(following)))
    (hypothesis,) = trace(language, **limit).hypotheses
    assert hypothesis.pieces == tuple(piece for piece in pieces if piece != END)


def test_distribution_by_hand():
    own = torch.tensor([[0.5, 0.25, 0.15, 0.1]], dtype=torch.float64).log()

    def drawn(**sampling) -> list[float]:
        return drawing_log_probs(own, Sampling(**sampling)).exp()[0].tolist()

    assert drawn() == pytest.approx([0.5, 0.25, 0.15, 0.1])
    squares = [0.25, 0.0625, 0.0225, 0.01]
    assert drawn(temperature=0.5) == pytest.approx([p / sum(squares) for p in squares])
    assert drawn(top_k=2) == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert drawn(top_p=0.74) == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert drawn(top_p=0.76) == pytest.approx([5 / 9, 2.5 / 9, 1.5 / 9, 0])
    assert drawn(top_k=2, top_p=0.6) == pytest.approx([1, 0, 0, 0])
    assert drawn(top_k=9) == pytest.approx([0.5, 0.25, 0.15, 0.1])


def test_as_many_as_were_asked_for():
    equal = torch.full((1, 5), 0.2, dtype=torch.float64).log()
    assert drawing_log_probs(equal, Sampling(top_k=2)).exp()[0].tolist() == pytest.approx([0.5, 0.5, 0, 0, 0])
    assert drawing_log_probs(equal, Sampling(top_p=0.4)).exp()[0].tolist() == pytest.approx([0.5, 0.5, 0, 0, 0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_nucleus_that_is_reached_exactly(dtype):
    own = torch.tensor([[0.7, 0.2, 0.1]], dtype=dtype).log()  # .7 + .2 is below .9 in floating point
    drawn = drawing_log_probs(own.double(), Sampling(top_p=0.9)).exp()[0].tolist()
    assert drawn == pytest.approx([7 / 9, 2 / 9, 0], abs=1e-6)


def test_constraints_hold():
    constraints = Constraints(prefix=(2, 1), forbidden=frozenset({(2, 1, 0), (2, 1, END)}))
    result = trace(random_language(4), count=30, constraints=constraints)
    assert {h.pieces[:2] for h in result.hypotheses} == {(2, 1)}
    assert {h.pieces[2] for h in result.hypotheses} <= {1, 2}
    first = result.steps[0].candidates[0]
    assert (first.forced, first.drawn, first.log_prob) == (True, 0.0, random_language(4)(())[2])
    assert not any(c.forced for c in result.steps[2].candidates)
    assert (
        trace(random_language(4), constraints=Constraints(forbidden=frozenset((p,) for p in range(4)))).hypotheses == ()
    )


def test_it_never_ends():
    result = trace(scripted({(): [0.5, 0.3, 0.2, 0]}), longest=5, count=3)
    assert [(len(h.pieces), h.finished) for h in result.hypotheses] == [(5, False)] * 3
    assert result.bound == Bound(Ending.LENGTH, None, None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"count": 0}, "samples 0"),
        ({"temperature": 0.0}, "temperature 0: .* beam 1"),
        ({"temperature": math.nan}, "temperature nan"),
        ({"top_k": 0}, "top-k 0"),
        ({"top_p": 0.0}, "top-p 0"),
        ({"top_p": 1.1}, "top-p 1.1"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(HeadscopeError, match=message):
        Sampling(**wrong)
