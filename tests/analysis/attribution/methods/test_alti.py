import numpy as np
import pytest

from headscope.analysis.attribution.alti import alti
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.values.entropy import ENTROPY
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError


def test_the_shares_are_the_attributions(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found, shares = attribute(translator, pair, "ALTI+"), alti(translator, pair).shares
    of_source, of_target = found.reduced()
    np.testing.assert_array_equal(of_source, shares.from_source)
    np.testing.assert_array_equal(of_target, shares.from_target)
    np.testing.assert_allclose(found.source_share, shares.from_source.sum(-1), atol=1e-12)
    assert found.error is None


def test_it_explains_nothing_in_particular(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match="choose another method"):
        attribute(translator, sentence_pair(translator, "a b", "e"), "ALTI+", explained=ENTROPY)
