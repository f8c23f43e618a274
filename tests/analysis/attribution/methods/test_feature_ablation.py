import pytest
import torch

from headscope.analysis.attribution.methods.feature_ablation import feature_ablation
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.sums import ask

pytestmark = pytest.mark.usefixtures("float64")


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_source_token_left_out_is_a_shorter_sentence(exact, norm):
    # Without positions nothing but the token itself tells the two sentences apart.
    translator = exact(norm=norm, positions="none")
    found = feature_ablation(ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB))
    whole, shorter = (
        log_probs(translator.model, forced_batch(translator, [sentence_pair(translator, text, "e f")]))[0]
        for text in ("a b c d", "a c d")
    )
    torch.testing.assert_close(found.from_source[:, 1, 0], whole - shorter, rtol=0, atol=1e-9)


def test_a_padded_position_is_not_seen(exact):
    # With positions: the last token left out, which the mask of padding can do as well.
    translator = exact(source_end=False)
    pair = sentence_pair(translator, "a b c d", "e f")
    asked = ask(translator, pair, LOG_PROB)
    batch = forced_batch(translator, [pair])
    batch.present[0, -1] = False
    due = asked.inputs
    without = log_probs(translator.model, batch)[0]
    whole = log_probs(translator.model, forced_batch(translator, [pair]))[0]
    found = feature_ablation(asked)
    assert len(due.source) == 4
    torch.testing.assert_close(found.from_source[:, -1, 0], whole - without, rtol=0, atol=1e-9)
    assert not found.from_target[..., 0].triu(1).any()
    assert (found.from_target[..., 0].tril().diagonal() != 0).all()


def test_the_only_token_can_be_left_out(exact):
    translator = exact(source_end=False)
    found = feature_ablation(ask(translator, sentence_pair(translator, "a", "e f"), LOG_PROB))
    assert found.from_source.isfinite().all()
    assert found.from_target.isfinite().all()
    assert (found.from_source != 0).all()
