"""An attribution as it is drawn."""

import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.pages.why.shaded import shaded, unit_of
from tests.app.page_tools import SENTENCE


@pytest.mark.parametrize(("method", "unit"), [("integrated gradients", "nats"), ("saliency", "")])
def test_a_method_says_what_it_is_compared_with(translator, method, unit):
    found = attribute(translator, sentence_pair(translator, SENTENCE), method)
    shading, shares = shaded(found)
    assert unit_of(found) == shading.unit == unit
    assert ("baseline: nothing" in shading.note) == (found.settings.baseline == "zero")
    assert len(shares) == len(found.predicts)
    assert np.array(shares).min() > 0
    assert np.array(shares).max() <= 1
