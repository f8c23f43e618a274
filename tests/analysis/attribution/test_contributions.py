from itertools import chain

import numpy as np
import pytest
import torch

from headscope.analysis.attribution import contributions
from headscope.analysis.attribution.contributions import head_contributions, layer_contributions, sub_layers, vectors
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.sites import KINDS, site_at

BOTH = pytest.mark.parametrize(
    "changes", [{"norm": "post"}, {"norm": "pre"}, {"norm": "post", "attention_bias": False}]
)


@BOTH
def test_vectors_add_up_to_what_the_layer_leaves(exact, changes):
    translator = exact(**changes)
    layers = sub_layers(translator, sentence_pair(translator, "a b c d", "e f")).at
    assert len(layers) == 2 + 3 + 3
    for site, layer in layers.items():
        parts = vectors(layer)
        total = parts.keys.sum(1) + parts.own + parts.constant
        torch.testing.assert_close(total, layer.left, atol=1e-9, rtol=0)
        assert bool(parts.own.any()) == (site.kind == "cross")


@BOTH
def test_messages_of_all_heads_add_up_to_the_update(exact, changes):
    translator = exact(**changes)
    layers = sub_layers(translator, sentence_pair(translator, "a b c d", "e f")).at
    for layer in layers.values():
        update = torch.einsum("hqk,hkd->qd", layer.weights, layer.messages())
        if layer.attention.output.bias is not None:
            update = update + layer.attention.output.bias
        torch.testing.assert_close(update, layer.update, atol=1e-9, rtol=0)


def test_norm_of_a_head_by_hand(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c", "d e")
    maps, weights = head_contributions(translator, pair), attention_maps(translator, "a b c", "d e")
    assert maps.quantity == "contribution"
    assert maps.fingerprint != weights.fingerprint
    np.testing.assert_allclose(maps.log_probs, weights.log_probs, atol=1e-12)
    attention, width = translator.model.encoder[0].attention, 4
    x = translator.model.embed("source", translator.batch([pair.source.ids])[0])[0]
    for head in range(4):
        part = slice(head * width, (head + 1) * width)
        for token in range(4):
            value = attention.value.weight[part] @ x[token] + attention.value.bias[part]
            sent = (attention.output.weight[:, part] @ value).norm().item()
            np.testing.assert_allclose(
                maps.encoder[0][head, :, token], weights.encoder[0][head, :, token] * sent, atol=1e-9
            )


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_layer_by_hand(exact, norm: str):
    """Against the layer applied to one vector at a time, at a deviation that is held fixed."""
    translator = exact(norm=norm)
    layers = sub_layers(translator, sentence_pair(translator, "a b c", "d e")).at
    found = layer_contributions(translator, sentence_pair(translator, "a b c", "d e"))
    for kind, layer, query, key in [
        ("encoder", 1, 2, 0),
        ("encoder", 1, 1, 1),
        ("decoder", 2, 2, 1),
        ("cross", 0, 1, 3),
    ]:
        seen = layers[site_at(translator.model, kind, layer)]
        vector = sum(seen.weights[h, query, key] * seen.messages()[h, key] for h in range(len(seen.weights)))
        if kind != "cross" and query == key:
            vector = vector + seen.stream[query]
        if norm == "post":
            gain = seen.residual.norm.weight / (seen.stream + seen.update)[query].var(unbiased=False).add(1e-5).sqrt()
            vector = (vector - vector.mean()) * gain
        assert found.layers(kind)[layer][query, key] == pytest.approx(vector.norm().item(), abs=1e-9)


def test_own_stream_in_cross_attention(exact):
    translator = exact(norm="pre")
    pair = sentence_pair(translator, "a b c", "d e")
    found, layers = layer_contributions(translator, pair), sub_layers(translator, pair).at
    for layer, own in enumerate(found.own):
        np.testing.assert_allclose(own, layers[site_at(translator.model, "cross", layer)].stream.norm(dim=-1))
        assert found.layers("cross")[layer].shape == (3, 4)


def test_few_rows_at_a_time_give_the_same(exact, monkeypatch):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f g h")
    whole = layer_contributions(translator, pair)
    monkeypatch.setattr(contributions, "CHUNK", 2 * 5 * 16)
    apart = layer_contributions(translator, pair)
    assert list(whole.maps) == list(apart.maps) == list(KINDS)
    pairs = [zip(whole.layers(kind), apart.layers(kind), strict=True) for kind in KINDS]
    for one, other in chain(*pairs, zip(whole.own, apart.own, strict=True)):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_table(exact):
    translator = exact()
    found = layer_contributions(translator, sentence_pair(translator, "a b", "c"))
    table = found.to_pandas()
    assert len(table) == 2 * 9 + 3 * 4 + 3 * 6 + 3 * 2
    own = table.query("kind == 'cross' and layer == 1 and key_index == -1")
    np.testing.assert_array_equal(own.contribution, found.own[1])
    (cell,) = table.query("kind == 'cross' and layer == 2 and query_index == 1 and key_index == 0").contribution
    assert cell == found.layers("cross")[2][1, 0]
