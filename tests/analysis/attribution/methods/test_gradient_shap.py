import pytest
import torch

from headscope.analysis.attribution.methods.gradient_shap import SAMPLES, gradient_shap
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.analysis.attribution.sums import ask, ask_of, of_sums, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_of_a_sum_it_is_what_the_token_gives():
    found = gradient_shap(ask_of(given := sums(), LOGIT))
    assert found.steps == SAMPLES
    for ours, due in zip(found[:2], of_sums(given), strict=True):
        torch.testing.assert_close(ours.sum(-1), due, rtol=0, atol=1e-9)


def test_places_are_those_of_a_seed(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    first, again, other = (
        gradient_shap(ask(translator, pair, LOG_PROB, steps=4, seed=seed)).from_source for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


def test_no_samples_are_refused(exact):
    asked = ask(translator := exact(), sentence_pair(translator, "a b", "e"), LOG_PROB, steps=0)
    with pytest.raises(HeadscopeError, match="0 steps from the baseline are none"):
        gradient_shap(asked)
