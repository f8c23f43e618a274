import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.values.translation import TRANSLATION
from headscope.analysis.capture.pairs import sentence_pair


@pytest.mark.parametrize("method", ["saliency", "input x gradient", "occlusion", "feature ablation"])
def test_it_is_the_sum_of_all_rows(exact, method):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    rows, whole = (attribute(translator, pair, method, **given) for given in ({}, {"explained": TRANSLATION}))
    assert whole.from_source.shape[:2] == (1, 5)
    assert whole.from_target.shape[:2] == (1, 3)
    np.testing.assert_allclose(whole.from_source[0], rows.from_source.sum(0), atol=1e-9)
    np.testing.assert_allclose(whole.from_target[0], rows.from_target.sum(0), atol=1e-9)
    np.testing.assert_allclose(whole.values, [rows.values.sum()], atol=1e-9)
    assert [token.piece for token in whole.predicts.tokens] == ["e f"]
    assert len(whole.to_pandas()) == 8
