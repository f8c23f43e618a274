"""What goes to the wall of heads."""

import base64
import json
import zlib
from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.difference import difference
from headscope.analysis.records.heads import Head
from headscope.app.view.shown import with_special
from headscope.app.view.state import View
from headscope.app.wire.encoding import as_message
from headscope.app.wire.head_map import head_map
from headscope.app.wire.lines import lines
from headscope.app.wire.long import MOST
from headscope.app.wire.shown import Shown
from headscope.app.wire.wall import wall
from headscope.model.sites import KINDS

VIEW = View("toy", "")


def record(layers: int, heads: int, size: int) -> AttentionMaps:
    """Attention of softmaxed noise: about as hard to deflate as attention gets."""
    scores = np.random.default_rng(0).normal(0, 2, (layers, heads, size, size))
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    tokens = Tokens("x" * size, tuple(Token("x", 5, (at, at + 1)) for at in range(size)))
    maps = tuple(weights.astype(np.float32))
    alike, none = dict.fromkeys(KINDS, maps), np.zeros(size, np.float32)
    return AttentionMaps(alike, {}, tokens, tokens, tokens, none, "weight", "noise")


def sent(maps: AttentionMaps | Shown, kind="cross", values=None, **options) -> dict:
    shown = maps if isinstance(maps, Shown) else Shown(maps, None)
    maps = shown.maps
    heads = [Head(kind, layer, head) for layer, array in enumerate(maps.layers(kind)) for head in range(array.shape[0])]
    return as_message(wall(shown, kind, measure="confidence", values=values or {}, **{"heads": heads} | options))


def decoded(data: dict) -> np.ndarray:
    """Weights, or whatever is drawn."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["maps"])), np.uint8).reshape(2, -1)
    levels = planes[0] + 256 * planes[1].astype(int)
    return levels.reshape(-1, data["rows"], data["columns"]) / 1000 * data["most"]


def test_every_weight_of_every_head_is_there_to_three_decimals(translator):
    maps = attention_maps(translator, "My neighbour keeps bees and gives us honey.")
    for kind in ("encoder", "decoder", "cross"):
        data = sent(maps, kind)
        whole = np.concatenate(maps.layers(kind))
        np.testing.assert_array_equal(decoded(data).round(3), whole.astype(float).round(3))
        assert (len(data["labels"]["rows"]), len(data["labels"]["columns"])) == whole.shape[1:]
        assert [len(layer["tiles"]) for layer in data["layers"]] == [len(layer) for layer in maps.layers(kind)]
        assert "largest" not in data["key"]


def test_the_wall_of_a_long_sentence_is_at_most_a_megabyte():
    assert len(json.dumps(sent(record(6, 8, 128)))) < 1e6


def test_longer_sentences_are_pooled_and_say_so():
    data = sent(maps := record(1, 2, 2 * MOST - 1))
    assert "largest of 2 × 2 weights" in data["key"]
    assert data["tokens"] == {"rows": 2 * MOST - 1, "columns": 2 * MOST - 1}
    assert decoded(data).shape == (2, MOST, MOST)
    assert decoded(data)[1, 0, 0] == pytest.approx(maps.cross[0][1, :2, :2].max(), abs=5e-4)
    assert data["block"] == 2


def test_tiles_in_the_order_given_keep_their_maps():
    order = [Head("cross", 1, 0), Head("cross", 0, 1), Head("cross", 0, 0), Head("cross", 1, 1)]
    data = sent(record(2, 2, 3), heads=order, by_layer=False, values={order[0]: 0.5, order[1]: float("nan")})
    tiles = data["layers"][0]["tiles"]
    assert [tile["place"] for tile in tiles] == [2, 1, 0, 3]
    assert [tile["value"] for tile in tiles] == [0.5, None, None, None]
    assert [tile["name"] for tile in tiles[:2]] == ["Layer 2, head 1: confidence 0.500", "Layer 1, head 2"]
    assert data["layers"][0]["name"] == ""


def test_the_mean_over_a_corpus_is_named():
    head = Head("cross", 0, 1)
    tiles = sent(record(1, 2, 3), values={head: 0.25}, means={head: -0.5})["layers"][0]["tiles"]
    assert [tile["name"] for tile in tiles] == [
        "Layer 1, head 1",
        "Layer 1, head 2: confidence 0.250, corpus mean −0.500",
    ]


def test_contributions_have_a_scale_of_their_own(translator):
    found = head_contributions(translator, sentence_pair(translator, "My neighbour keeps bees and gives us honey."))
    data = sent(found, "encoder")
    assert data["most"] == pytest.approx(max(layer.max() for layer in found.encoder))
    np.testing.assert_allclose(decoded(data), np.concatenate(found.encoder), atol=data["most"] / 1000)


def test_hidden_symbols_are_hidden_and_their_mass_is_stated(translator):
    maps = attention_maps(translator, "My neighbour keeps bees and gives us honey.")
    shown = with_special(maps, replace(VIEW, special="hidden"))
    hidden = np.concatenate(shown.hidden["cross"])
    data = sent(shown)
    assert (decoded(data)[:, :, -1] == 0).all()
    assert "symbols are hidden" in data["key"]
    mass = np.frombuffer(base64.b64decode(data["hidden"]), "<f4").reshape(hidden.shape)
    np.testing.assert_allclose(mass, np.concatenate(maps.cross)[:, :, -1], atol=1e-6)


def test_heads_that_are_off():
    off = [Head("cross", 1, 1), Head("encoder", 0, 0)]
    data = sent(record(2, 2, 3), off=off)
    assert (data["toggles"], data["off"]) == (True, [3])
    assert not sent(record(2, 2, 3))["toggles"]


def test_colours_end_at_the_largest_weight_where_the_view_wants_it():
    maps = record(2, 2, 8)
    fixed, free = (sent(with_special(maps, replace(VIEW, scale=scale))) for scale in ("fixed", "largest"))
    assert fixed["most"] == 1
    assert free["most"] == max(layer.max() for layer in maps.cross)
    np.testing.assert_allclose(decoded(free), np.concatenate(maps.cross), atol=1e-3)
    assert fixed["signature"] != free["signature"]
    shown = with_special(maps, replace(VIEW, scale="largest"))
    for message in (head_map(shown, "cross", 1, 0), lines(shown, "cross", 1, [0])):
        assert message.most == maps.cross[1].max()


def test_differences_run_from_one_end_to_the_other():
    before, after = record(2, 3, 6), record(2, 3, 6)
    after = replace(after, maps={kind: tuple(layer[:, ::-1] for layer in after.layers(kind)) for kind in KINDS})
    found = difference(after, before)
    data = sent(found, "cross")
    whole = np.concatenate(found.layers("cross"))
    assert data["most"] == pytest.approx(np.abs(whole).max())
    np.testing.assert_allclose(2 * decoded(data) - data["most"], whole, atol=1.1 * data["most"] / 1000)
