import pytest
import torch
from captum.attr import Saliency

from headscope.analysis.attribution.gradients import values_of
from headscope.analysis.attribution.methods.saliency import saliency
from headscope.analysis.attribution.values.entropy import ENTROPY
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.attribution.values.translation import TRANSLATION
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.methods.captum_rows import equals_captum
from tests.analysis.attribution.sums import ask, ask_of, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_of_a_sum_it_is_the_weights():
    found = sums()
    slopes = saliency(ask_of(found, LOGIT))
    weights = found.model.matrix[found.predicts]
    torch.testing.assert_close(slopes.from_source, weights[:, None].expand(-1, 3, -1), rtol=0, atol=1e-9)
    assert not slopes.from_target.sum(-1).triu(1).any()


@pytest.mark.parametrize("explained", [LOG_PROB, LOGIT, ENTROPY, TRANSLATION], ids=lambda explained: explained.name)
def test_finite_differences(exact, explained):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), explained)
    slopes, found = saliency(asked), asked.inputs
    for side, at in (("source", (2, 5)), ("target", (1, 7))):
        moved = []
        for step in (1e-6, -1e-6):
            both = {"source": found.source.clone(), "target": found.target.clone()}
            both[side][at] += step
            moved.append(values_of(found, explained, both["source"][None], both["target"][None])[:, 0])
        gradient = slopes.from_source if side == "source" else slopes.from_target
        torch.testing.assert_close(gradient[:, *at], (moved[0] - moved[1]) / 2e-6, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("explained", [LOG_PROB, ENTROPY], ids=lambda explained: explained.name)
def test_equals_captum(exact, explained):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), explained)
    equals_captum(saliency(asked), asked, lambda of, both: Saliency(of).attribute(both, abs=False))


def test_batches_make_no_difference(exact, monkeypatch):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f g"), LOG_PROB)
    whole = saliency(asked)
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", 20)
    for one, other in zip(saliency(asked)[:3], whole[:3], strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)
