"""What goes to the wall of heads, and what comes back."""

import base64
import json
import zlib

import numpy as np
import pytest

from analysis.attention import attention_maps
from analysis.heads import Head
from analysis.record import AttentionMaps, Token, Tokens
from app.components.wall import MOST, as_head, payload


def record(layers: int, heads: int, size: int) -> AttentionMaps:
    """Attention of softmaxed noise: about as hard to deflate as attention gets."""
    scores = np.random.default_rng(0).normal(0, 2, (layers, heads, size, size))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    tokens = Tokens("x" * size, tuple(Token("x", 5, (at, at + 1)) for at in range(size)))
    maps = tuple(weights.astype(np.float32))
    return AttentionMaps(maps, maps, maps, tokens, tokens, tokens, np.zeros(size, np.float32), "weight", "noise")


def sent(maps: AttentionMaps, kind="cross", values=None, **options) -> dict:
    heads = [Head(kind, layer, head) for layer, array in enumerate(maps.layers(kind)) for head in range(array.shape[0])]
    options = {"heads": heads, "by_layer": True, "current": None, "off": None} | options
    return payload(maps, kind, measure="confidence", values=values or {}, **options)


def decoded(data: dict) -> np.ndarray:
    raw = zlib.decompress(base64.b64decode(data["maps"]))
    return np.frombuffer(raw, np.uint8).reshape(-1, data["rows"], data["columns"])


def test_every_head_is_there_in_256_levels(translator):
    maps = attention_maps(translator, "My neighbour keeps bees and gives us honey.")
    for kind in ("encoder", "decoder", "cross"):
        data = sent(maps, kind)
        whole = np.concatenate(maps.layers(kind))
        np.testing.assert_allclose(decoded(data) / 255, whole, atol=0.5 / 255 + 1e-6)
        assert [len(layer["tiles"]) for layer in data["layers"]] == [len(layer) for layer in maps.layers(kind)]
        assert "largest" not in data["key"]


def test_the_wall_of_a_long_sentence_is_at_most_a_megabyte():
    assert len(json.dumps(sent(record(6, 8, 128)))) < 1e6


def test_longer_sentences_are_pooled_and_say_so():
    data = sent(maps := record(1, 2, 2 * MOST - 1))
    assert "largest of 2 × 2 weights" in data["key"]
    assert data["tokens"] == {"rows": 2 * MOST - 1, "columns": 2 * MOST - 1}
    assert decoded(data).shape == (2, MOST, MOST)
    assert decoded(data)[1, 0, 0] == round(float(maps.cross[0][1, :2, :2].max()) * 255)


def test_tiles_in_the_order_given_keep_their_maps():
    order = [Head("cross", 1, 0), Head("cross", 0, 1), Head("cross", 0, 0), Head("cross", 1, 1)]
    data = sent(record(2, 2, 3), heads=order, by_layer=False, values={order[0]: 0.5, order[1]: float("nan")})
    tiles = data["layers"][0]["tiles"]
    assert [tile["place"] for tile in tiles] == [2, 1, 0, 3]
    assert [tile["value"] for tile in tiles] == [0.5, None, None, None]
    assert [tile["name"] for tile in tiles[:2]] == ["Layer 2, head 1: confidence 0.5", "Layer 1, head 2"]
    assert data["layers"][0]["name"] == ""


def test_heads_that_are_off():
    off = [Head("cross", 1, 1), Head("encoder", 0, 0)]
    data = sent(record(2, 2, 3), off=off)
    assert (data["toggles"], data["off"]) == (True, [3])
    assert not sent(record(2, 2, 3))["toggles"]


@pytest.mark.parametrize(
    ("value", "head"),
    [
        ({"layer": 1, "head": 0}, Head("cross", 1, 0)),
        ({"layer": -1, "head": 0}, None),
        ({"layer": True, "head": 0}, None),
        ({"layer": 1.0, "head": 0}, None),
        ({"layer": 1}, None),
        ("1.1", None),
        (None, None),
    ],
)
def test_what_a_browser_sends_is_checked(value, head):
    assert as_head("cross", value) == head
