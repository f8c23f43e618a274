import numpy as np
import pytest
import torch

from headscope.analysis.attribution import alti as module
from headscope.analysis.attribution.alti import alti
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair

BOTH = pytest.mark.parametrize("norm", ["post", "pre"])


def numpy_layer(layer, name: str):
    """The weights of one attention and of the norm around it, as plain arrays."""
    attention, residual = getattr(layer, name), getattr(layer, f"{name}_residual")
    parts = {part: getattr(attention, part) for part in ("query", "key", "value", "output")}
    arrays = {part: (linear.weight.detach().numpy(), linear.bias.detach().numpy()) for part, linear in parts.items()}
    return arrays, attention.heads, residual.norm.weight.detach().numpy(), residual.norm.bias.detach().numpy()


def normed(x: np.ndarray, gain: np.ndarray, shift: np.ndarray) -> np.ndarray:
    deviation = np.sqrt(((x - x.mean(-1, keepdims=True)) ** 2).mean(-1, keepdims=True) + 1e-5)
    return (x - x.mean(-1, keepdims=True)) / deviation * gain + shift


def attend_by_hand(layer, name: str, x: np.ndarray, memory: np.ndarray | None, post: bool):
    """One sub-layer in loops: what it leaves, and the share of every token, the own stream last."""
    arrays, heads, gain, shift = numpy_layer(layer, name)
    read = x if post else normed(x, gain, shift)
    keys = read if memory is None else memory
    width = x.shape[1] // heads
    causal = memory is None and name == "attention" and hasattr(layer, "cross")
    left, shares = np.zeros_like(x), np.zeros((len(x), len(keys) + 1))
    for i in range(len(x)):
        parts = np.zeros((len(keys) + 1, x.shape[1]))
        for head in range(heads):
            part = slice(head * width, (head + 1) * width)

            def made(name: str, row: np.ndarray, part: slice = part) -> np.ndarray:
                weight, bias = arrays[name]
                return weight[part] @ row + bias[part]

            seen = range(i + 1) if causal else range(len(keys))
            scores = np.array([made("query", read[i]) @ made("key", keys[j]) / np.sqrt(width) for j in seen])
            weights = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
            for j in seen:
                parts[j] += weights[j] * (arrays["output"][0][:, part] @ made("value", keys[j]))
        parts[i if memory is None else -1] += x[i]
        total = parts.sum(0) + arrays["output"][1]
        left[i] = normed(total, gain, shift) if post else total
        if post:
            deviation = np.sqrt(((total - total.mean()) ** 2).mean() + 1e-5)
            parts = np.array([(vector - vector.mean()) / deviation * gain for vector in parts])
        near = [max(0.0, np.abs(left[i]).sum() - np.abs(left[i] - vector).sum()) for vector in parts]
        shares[i] = np.array(near) / sum(near)
    return left, shares


def feed_forward_by_hand(layer, x: np.ndarray, post: bool) -> np.ndarray:
    network, norm = layer.feed_forward, layer.feed_forward_residual.norm
    gain, shift = norm.weight.detach().numpy(), norm.bias.detach().numpy()
    read = x if post else normed(x, gain, shift)
    inner = read @ network.inner.weight.detach().numpy().T + network.inner.bias.detach().numpy()
    update = np.maximum(inner, 0) @ network.outer.weight.detach().numpy().T + network.outer.bias.detach().numpy()
    return normed(x + update, gain, shift) if post else x + update


@BOTH
def test_by_hand(exact, norm: str):
    """The whole of it in loops over plain arrays: layers, shares, and the way they are multiplied."""
    translator = exact(norm=norm)
    model, post, pair = translator.model, norm == "post", sentence_pair(translator, "a b c d", "e f")
    reads = torch.tensor([[translator.vocabulary.start, *pair.target.ids]])
    source = translator.batch([pair.source.ids])[0]
    x = model.embed("source", source)[0].detach().numpy()
    encoded = np.eye(5)
    for layer in model.encoder:
        x, shares = attend_by_hand(layer, "attention", x, None, post)
        x = feed_forward_by_hand(layer, x, post)
        encoded = shares[:, :5] @ encoded
    if not post:
        x = normed(x, model.encoder_norm.weight.detach().numpy(), model.encoder_norm.bias.detach().numpy())
    y = model.embed("target", reads)[0].detach().numpy()
    both = np.concatenate([np.zeros((3, 5)), np.eye(3)], axis=1)
    for layer in model.decoder:
        y, own = attend_by_hand(layer, "attention", y, None, post)
        y, cross = attend_by_hand(layer, "cross", y, x, post)
        y = feed_forward_by_hand(layer, y, post)
        looked = np.concatenate([cross[:, :5] @ encoded, np.zeros((3, 3))], axis=1)
        both = looked + cross[:, 5:] * (own[:, :3] @ both)
    found = alti(translator, pair)
    np.testing.assert_allclose(found.shares.encoded, encoded, atol=1e-9)
    np.testing.assert_allclose(found.shares.from_source, both[:, :5], atol=1e-9)
    np.testing.assert_allclose(found.shares.from_target, both[:, 5:], atol=1e-9)


@BOTH
def test_rows_sum_to_1_and_know_nothing_of_later_tokens(exact, norm: str):
    translator = exact(norm=norm)
    found = alti(translator, sentence_pair(translator, "a b c d", "e f g"))
    shares = found.shares
    for rows in (*shares.encoder, *shares.decoder, shares.encoded):
        np.testing.assert_allclose(rows.sum(-1), 1, atol=1e-12)
    for rows, own in zip(shares.cross, shares.own, strict=True):
        np.testing.assert_allclose(rows.sum(-1) + own, 1, atol=1e-12)
    np.testing.assert_allclose(shares.from_source.sum(-1) + shares.from_target.sum(-1), 1, atol=1e-12)
    assert not np.triu(shares.from_target, 1).any()
    assert (shares.from_source >= 0).all()
    assert len(set(np.round(found.source_share, 6))) == 4  # not one number for all rows, as rollout has
    np.testing.assert_allclose(found.log_probs, attention_maps(translator, "a b c d", "e f g").log_probs, atol=1e-12)


def test_without_cross_attention_nothing_comes_from_the_source(without_cross):
    found = alti(without_cross, sentence_pair(without_cross, "a b c d", "e f"))
    np.testing.assert_allclose(found.source_share, 0, atol=1e-12)


def test_a_row_of_which_nothing_is_left_is_its_own(exact):
    """A norm whose gain is 0 leaves its shift alone, whatever was read."""
    translator = exact()
    with torch.no_grad():
        translator.model.encoder[0].attention_residual.norm.weight.zero_()
        translator.model.decoder[0].cross_residual.norm.weight.zero_()
    shares = alti(translator, sentence_pair(translator, "a b c", "e f")).shares
    np.testing.assert_array_equal(shares.encoder[0], np.eye(4))
    np.testing.assert_array_equal(shares.own[0], 1)
    assert not shares.cross[0].any()


def test_few_rows_at_a_time_give_the_same(exact, monkeypatch):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f g h")
    whole = alti(translator, pair).shares
    monkeypatch.setattr(module, "CHUNK", 2 * 5 * 16)
    apart = alti(translator, pair).shares
    np.testing.assert_allclose(apart.from_source, whole.from_source, atol=1e-12)
    np.testing.assert_allclose(apart.encoded, whole.encoded, atol=1e-12)


def test_table(exact):
    translator = exact()
    found = alti(translator, sentence_pair(translator, "a b", "c"))
    table = found.to_pandas()
    assert len(table) == 2 * 3 + 2 * 2
    (share,) = table.query("side == 'target' and row == 1 and column == 0").share
    assert share == found.shares.from_target[1, 0]
    assert table[table.row == 1].share.sum() == pytest.approx(1)
