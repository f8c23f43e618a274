import pytest
import torch

from headscope.analysis.attribution.attention_gradients import attention_gradients
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.methods.attention_x_gradient import attention_x_gradient
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.analysis.attribution.sums import ask
from tests.toy_seq2seq import mixing_translator

pytestmark = pytest.mark.usefixtures("float64")


def test_it_is_the_sum_over_the_heads_of_decoder_and_cross_attention(exact):
    translator = exact()
    asked = ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    found, (weighted, values) = attention_x_gradient(asked), attention_gradients(asked)
    for ours, kind in ((found.from_source, "cross"), (found.from_target, "decoder")):
        due = sum(part[:, head].sum(1) for site, part in weighted.items() for head in range(2) if site.kind == kind)
        torch.testing.assert_close(ours[..., 0], due, rtol=0, atol=1e-12)
    torch.testing.assert_close(found.values, values, rtol=0, atol=0)
    assert not found.from_target[..., 0].triu(1).any()


def test_a_model_without_such_heads_says_so():
    translator = mixing_translator()
    with pytest.raises(HeadscopeError, match="no heads of cross-attention"):
        attribute(translator, sentence_pair(translator, "a b", "e"), "attention x gradient")
