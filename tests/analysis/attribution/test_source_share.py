import numpy as np
import pytest

from headscope.analysis.attribution.alti import alti
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.source_share import source_share
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError


def test_both_methods_each_by_its_name(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found = source_share(translator, pair)
    np.testing.assert_allclose(found.by_method["ALTI+"], alti(translator, pair).source_share, atol=1e-12)
    of_source, of_target = attribute(translator, pair).reduced()
    sizes = np.abs(of_source).sum(-1), np.abs(of_target).sum(-1)
    np.testing.assert_allclose(found.by_method["integrated gradients"], sizes[0] / (sizes[0] + sizes[1]), atol=1e-12)
    np.testing.assert_allclose(found.log_probs, attention_maps(translator, "a b c d", "e f").log_probs, atol=1e-9)
    table = found.to_pandas()
    assert table.columns.tolist() == ["token", "log_prob", "ALTI+", "integrated gradients"]
    assert table.token.tolist() == ["e", "f", "</s>"]


def test_a_decoder_that_does_not_look_at_the_source(without_cross):
    found = source_share(without_cross, sentence_pair(without_cross, "a b c d", "e f"))
    for shares in found.by_method.values():
        np.testing.assert_allclose(shares, 0, atol=1e-9)


def test_no_method_is_refused(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match="choose ALTI\\+ or integrated gradients"):
        source_share(translator, sentence_pair(translator, "a b", "e"), [])
