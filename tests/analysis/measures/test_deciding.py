"""The query that is opened first."""

from dataclasses import replace

import numpy as np

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.deciding import deciding_query, least_sure
from tests.app.page_tools import SENTENCE


def test_the_token_the_model_was_least_sure_of(translator):
    maps = attention_maps(translator, SENTENCE)
    row = least_sure(maps)
    assert maps.log_probs[row] == min(maps.log_probs)
    assert deciding_query(maps, "cross") == deciding_query(maps, "decoder") == row


def test_in_the_encoder_what_cross_attention_looks_at_there(translator):
    maps = attention_maps(translator, SENTENCE)
    at, row = 2, least_sure(maps)
    cross = [np.zeros_like(layer) for layer in maps.cross]
    for layer in cross:
        layer[:, row, at] = 0.4
        layer[:, row, -1] = 0.6
        layer[:, :row, 1] = 1
    assert deciding_query(replace(maps, maps={"encoder": maps.encoder}), "encoder") == 0
    assert maps.source.tokens[-1].special
    assert deciding_query(replace(maps, maps={**maps.maps, "cross": tuple(cross)}), "encoder") == at
