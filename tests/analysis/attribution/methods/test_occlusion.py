import pytest
import torch
from captum.attr import FeatureAblation

from headscope.analysis.attribution.methods.occlusion import occlusion
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.methods.captum_rows import equals_captum
from tests.analysis.attribution.sums import ask, ask_of, of_sums, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_a_sum_loses_what_the_token_gave():
    found = occlusion(ask_of(given := sums(), LOGIT))
    for ours, due in zip(found[:2], of_sums(given), strict=True):
        torch.testing.assert_close(ours[..., 0], due, rtol=0, atol=1e-9)


@pytest.mark.parametrize("tokens", [2048, 17])
def test_equals_captum(exact, tokens, monkeypatch):
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", tokens)
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), LOG_PROB, base="unknown")
    places = torch.arange(len(asked.inputs.source) + len(asked.inputs.target))[None, :, None]
    masks = places[:, : len(asked.inputs.source)], places[:, len(asked.inputs.source) :]
    against = tuple(part[None] for part in asked.base())
    found = occlusion(asked)
    equals_captum(
        found, asked, lambda of, both: FeatureAblation(of).attribute(both, against, feature_mask=masks), summed=True
    )
