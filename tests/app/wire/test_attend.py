"""What goes to the picture of one prediction."""

import numpy as np

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.labels import labels
from headscope.app.wire.attend import attend
from headscope.app.wire.beam_tree import Place
from tests.app.page_tools import SENTENCE


def test_it_is_the_last_row_of_the_head(translator):
    maps = attention_maps(translator, SENTENCE)
    piece = labels(maps.predicts)[-1]
    sent = attend(maps, Place("b", 3, 1), 2, 1, piece)
    assert (sent.node, sent.head, sent.predicts) == ("b.3.1", "Layer 3, head 2", piece)
    np.testing.assert_allclose(sent.cross, maps.cross[2][1][-1], atol=1e-4)
    np.testing.assert_allclose(sent.decoder, maps.decoder[2][1][-1], atol=1e-4)
    assert (len(sent.source), len(sent.reads)) == (len(sent.cross), len(sent.decoder))
