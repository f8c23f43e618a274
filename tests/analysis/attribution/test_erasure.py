import pytest
import torch
from captum.attr import FeatureAblation

from headscope.analysis.attribution.erasure import occlusion
from headscope.analysis.attribution.explained import LOG_PROB, LOGIT
from headscope.analysis.attribution.inputs import baseline, inputs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.progress import Silent
from tests.analysis.attribution.sums import sums

pytestmark = pytest.mark.usefixtures("float64")


def test_a_sum_loses_what_the_token_gave():
    found = sums()
    lost = occlusion(found, LOGIT, (torch.zeros_like(found.source), torch.zeros_like(found.target)), progress=Silent())
    weights = found.model.matrix[found.predicts]
    torch.testing.assert_close(lost.from_source, (weights[:, None] * found.source).sum(-1, keepdim=True))
    torch.testing.assert_close(lost.from_target[..., 0], (weights[:, None] * found.target).sum(-1).tril())


@pytest.mark.parametrize("tokens", [2048, 17])
def test_equals_captum(exact, tokens, monkeypatch):
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", tokens)
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found, base = inputs(translator, pair), baseline(translator, pair, "unknown")
    lost = occlusion(found, LOG_PROB, base, progress=Silent())
    lengths = len(found.source), len(found.target)
    masks = tuple(
        torch.arange(first, first + length)[None, :, None]
        for first, length in zip((0, lengths[0]), lengths, strict=True)
    )
    for row in range(len(found.target)):
        ablation = FeatureAblation(
            lambda source, target, row=row: LOG_PROB.value(
                found.logits(found.states(source, target)[:, row]), found.predicts, row
            )
        )
        both = (found.source[None], found.target[None])
        theirs = ablation.attribute(both, tuple(part[None] for part in base), feature_mask=masks)
        for ours, part in zip((lost.from_source, lost.from_target), theirs, strict=True):
            torch.testing.assert_close(ours[row, :, 0], part[0, :, 0].detach(), rtol=0, atol=1e-9)
