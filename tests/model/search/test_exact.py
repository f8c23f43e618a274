"""Exact search, against all sentences there are."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.search.exact import BranchingStepper, Budget, ExactResult, most_probable
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.stepper import ModelStepper
from headscope.model.search.trace import Hypothesis
from tests.model.search.toy_language import Language, ToyStepper, brute_force, random_language, scripted
from tests.toys import random_batch, tiny_model

START, PLAIN = 99, LengthPenalty(0.0)


def mode(
    language: Language, *, longest: int = 5, end: int = 3, known: Hypothesis | None = None, **budget
) -> ExactResult:
    stepper = ToyStepper([language], START)
    return most_probable(stepper, start=START, end=end, longest=longest, known=known, budget=Budget(**budget))


@given(st.integers(0, 500), st.integers(2, 5), st.integers(1, 5), st.sampled_from([0.0, 0.4]))
def test_equals_brute_force(seed, pieces, longest, impossible):
    language = random_language(seed, pieces, impossible)
    finished = [f for f in brute_force(language, pieces - 1, longest, PLAIN) if f.finished]
    found = mode(language, longest=longest, end=pieces - 1)
    assert found.proven
    assert found.empty == language(())[pieces - 1]
    if not finished:
        assert found.best is None
        return
    best = found.best
    assert (best.pieces, best.finished) == (finished[0].pieces, True)
    assert best.total == best.score == pytest.approx(finished[0].total, abs=1e-12)
    assert sum(best.log_probs) == pytest.approx(best.total, abs=1e-12)

    for known in finished[:3]:
        given = Hypothesis(known.pieces, (known.total,), known.total, known.total, finished=True)
        again = mode(language, longest=longest, end=pieces - 1, known=given)
        assert (again.best.pieces, again.proven) == (finished[0].pieces, True)
        assert again.nodes <= found.nodes


def test_mode_that_beam_search_misses():
    """Greedy takes .6, then ends with .3 at best; the other way has .4 · .9."""
    language = scripted({(): [0.6, 0.4, 0, 0], (0,): [0.4, 0.3, 0, 0.3], (1,): [0.1, 0, 0, 0.9]})
    assert mode(language).best.pieces == (1,)


def test_empty_translation_is_the_mode():
    language = scripted({(): [0.4, 0.3, 0.1, 0.2], (0,): [0.3, 0.3, 0, 0.4]})
    found = mode(language)
    assert (found.best.pieces, found.best.total) == ((), math.log(0.2))
    assert found.empty == math.log(0.2)
    assert found.nodes == 1 + 2 + 0  # the root, and the two pieces that are more probable than the empty translation


def test_budget():
    language = random_language(7, 5)
    whole = mode(language, longest=7, end=4)
    assert whole.proven
    for nodes in range(1, whole.nodes):
        found = mode(language, longest=7, end=4, nodes=nodes)
        assert found.nodes == nodes or (found.proven and found.nodes < nodes)
        assert found.best is None or found.best.total <= whole.best.total
        if found.proven:
            assert found.best == whole.best
    assert not mode(language, longest=7, end=4, nodes=1).proven
    assert not mode(language, longest=7, end=4, seconds=1e-9).proven


def test_sentence_that_never_ends():
    found = mode(scripted({(): [0.5, 0.3, 0.2, 0]}), longest=4)
    assert (found.best, found.proven, found.empty) == (None, True, -math.inf)


@pytest.mark.parametrize("wrong", [{"nodes": 0}, {"seconds": 0.0}, {"seconds": math.nan}])
def test_no_budget(wrong):
    with pytest.raises(HeadscopeError, match="leaves nothing to search"):
        Budget(**wrong)


@pytest.mark.usefixtures("float64")
@torch.inference_mode()
@pytest.mark.parametrize("prescribed", [(), (5,)])
def test_with_a_transformer(prescribed):
    """Three words, at most three of them and the end: every sentence, scored in whole passes."""
    model = tiny_model(source_vocabulary=7, target_vocabulary=7, share_output=False)
    source, present, _ = random_batch((4,), (1,), vocabulary=7)
    stepper = ModelStepper(model, model.encode(model.embed("source", source), present), never=(0, 2), prefix=prescribed)
    assert isinstance(stepper, BranchingStepper)
    found = most_probable(
        stepper, start=2, end=3, longest=4 + len(prescribed), opening=len(prescribed), budget=Budget()
    )
    totals = {}
    for length in range(4):
        for words in itertools.product([1, 4, 5, 6], repeat=length):
            text = [*prescribed, *words]
            log_probs = model(source, present, torch.tensor([[2, *text]])).log_softmax(-1)[0]
            totals[tuple(text)] = sum(
                float(log_probs[t, piece]) for t, piece in enumerate([*text, 3]) if t >= len(prescribed)
            )
    best = max(totals, key=totals.__getitem__)
    assert found.proven
    assert found.best.pieces == best
    assert found.best.total == pytest.approx(totals[best], abs=1e-9)
    assert found.empty == pytest.approx(totals[prescribed], abs=1e-9)
