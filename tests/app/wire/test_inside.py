"""What goes to the picture of queries and keys."""

import base64

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.capture.query_key import query_key
from headscope.analysis.records.heads import Head
from headscope.app.view.state import KINDS
from headscope.app.wire.encoding import as_message
from headscope.app.wire.inside import inside

SENTENCE = "My neighbour keeps bees and gives us honey."


def array(data: dict, name: str, columns: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(data[name]), "<f4").reshape(-1, columns)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_lead_from_queries_and_keys_to_the_record(translator, kind):
    maps = attention_maps(translator, SENTENCE)
    found = query_key(translator, sentence_pair(translator, SENTENCE), Head(kind, 1, 1))
    data = as_message(inside(found, maps))
    columns, width = len(data["columns"]), data["width"]
    query, key = array(data, "query", width), array(data, "key", width)
    scaled, weights = array(data, "scaled", columns), array(data, "weights", columns)
    assert len(data["rows"]) == len(query) == len(scaled)
    scores, masked = array(data, "scores", columns), array(data, "masked", columns)
    np.testing.assert_allclose(query @ key.T, scores, atol=1e-4)
    np.testing.assert_allclose(scores / np.sqrt(width), scaled, atol=1e-4)
    expected = np.where(np.tri(columns, dtype=bool), scaled, -np.inf) if kind == "decoder" else scaled
    np.testing.assert_array_equal(masked, expected)
    exponents = np.exp(masked - masked.max(-1, keepdims=True))
    np.testing.assert_allclose(exponents / exponents.sum(-1, keepdims=True), weights, atol=1e-5)
    np.testing.assert_allclose(weights, maps.layers(kind)[1][1], atol=1e-5)


def test_the_ends_of_the_scales_are_the_largest_numbers(translator):
    found = query_key(translator, sentence_pair(translator, SENTENCE), Head("cross", 2, 0))
    most = as_message(inside(found, attention_maps(translator, SENTENCE)))["most"]
    products = [np.abs(found.products(row)).max() for row in range(len(found.query))]
    assert most["product"] == pytest.approx(max(products))
    assert most["score"] == pytest.approx(np.abs(found.scores).max())
    assert most["scaled"] == pytest.approx(np.abs(found.scaled).max())


def test_what_scores_are_divided_by(translator):
    found = query_key(translator, sentence_pair(translator, SENTENCE), Head("decoder", 0, 0))
    assert inside(found, attention_maps(translator, SENTENCE)).scaling == "÷ √16"
