import numpy as np

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import sentence_pair


def test_it_is_the_mean_of_the_record(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found, maps = attribute(translator, pair, "attention"), record(translator, pair)
    np.testing.assert_allclose(found.reduced()[0], np.concatenate(maps.cross).mean(0), atol=1e-9)
    np.testing.assert_allclose(found.reduced()[1], np.concatenate(maps.decoder).mean(0), atol=1e-9)
    np.testing.assert_allclose(found.values, maps.log_probs, atol=1e-9)
