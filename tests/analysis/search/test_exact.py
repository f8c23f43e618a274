"""The most probable translation of a sentence."""

import pytest
import torch

from headscope.analysis.search.exact import exact_search
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.search.exact import Budget
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


def test_what_is_known_by_heart_is_the_mode(translator):
    found = exact_search(translator, SOURCE)
    assert (found.text, found.beam_text) == (TARGET, TARGET)
    assert found.result.proven
    assert found.result.best.total == pytest.approx(translator.score([(SOURCE, TARGET)])[0].total, abs=1e-4)
    assert found.result.empty == pytest.approx(translator.score([(SOURCE, "")])[0].total, abs=1e-4)
    assert not found.empty_is_mode
    assert found.verdict == "proven: beam search has found the most probable translation"


def test_no_budget_no_proof(translator):
    found = exact_search(translator, "bees and mountains", budget=Budget(nodes=1))
    assert not found.result.proven
    assert found.verdict == "not proven within the budget (1 hypotheses extended)"
    assert found.result.best.total >= translator.search("bees and mountains").hypotheses[0].total


def test_empty_mode(exact):
    """A model that would rather say nothing."""
    translator = exact(logits_bias=True)
    with torch.no_grad():
        translator.model.projection.bias[translator.vocabulary.end] = 3
    found = exact_search(translator, "a b c", settings=SearchSettings(beam=2))
    assert (found.text, found.empty_is_mode) == ("", True)
    assert found.verdict == "proven: the empty translation is the most probable one"
    assert found.result.best.total == found.result.empty == pytest.approx(translator.score([("a b c", "")])[0].total)


def test_sentence_that_never_ends(exact):
    translator = exact(logits_bias=True)
    with torch.no_grad():
        translator.model.projection.bias[translator.vocabulary.end] = -torch.inf
    found = exact_search(translator, "a", settings=SearchSettings(beam=2, extra_length=1), budget=Budget(nodes=5000))
    assert (found.text, found.result.best, found.result.proven) == (None, None, True)
    assert found.verdict == "proven: no translation ends within the greatest length"


def test_blank(translator):
    with pytest.raises(HeadscopeError, match="blank"):
        exact_search(translator, " ")


def test_it_says_how_much_of_the_budget_is_spent_and_can_be_cancelled(translator):
    heard = []

    class Impatient:
        def update(self, done: int, total: int | None) -> None:
            heard.append((done, total))
            raise Cancelled

    with pytest.raises(Cancelled):
        exact_search(translator, SENTENCES[3][0], budget=Budget(nodes=500), progress=Impatient())
    assert heard[0][1] == 500
