import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from headscope.model.network import attention
from headscope.model.network.attention import (
    MultiHeadAttention,
    SelfAttention,
    attend,
    attention_scores,
    attention_weights,
    fused_is_fastest,
)
from headscope.model.network.linear import pack
from headscope.model.network.masks import Mask, causal_mask, key_mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.sites import Site
from tests.torch_twin import torch_attention

CPU = torch.device("cpu")
NOWHERE = PositionScheme()


class Watch(Probe):
    """Takes the explicit path and keeps the weights."""

    weights_seen: Tensor

    def wants(self, site: Site) -> bool:
        return True

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.weights_seen = weights
        return weights


def heads(batch=2, count=3, queries=4, keys=5, width=6, seed=0) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = ((batch, count, length, width) for length in (queries, keys, keys))
    query, key, value = (torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes)
    return query, key, value


def explicit(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, bias: Tensor | None = None) -> Tensor:
    return attention_weights(attention_scores(query, key, bias), mask) @ value


def site(heads: int) -> Site:
    return Site("encoder", 0, heads, "source", "source", causal=False)


def multi_head(width=12, count=3, bias=True, dropout=0.0) -> MultiHeadAttention:
    module = MultiHeadAttention(width, site=site(count), bias=bias, dropout=dropout)
    if bias:
        for part in (module.query, module.key, module.value, module.output):
            torch.nn.init.normal_(part.bias)
    return module


def run(module: MultiHeadAttention, x: Tensor, memory: Tensor, mask: Mask | None, probe: Probe | None = None) -> Tensor:
    places = (torch.arange(x.shape[1]), torch.arange(memory.shape[1]))
    pairs = module.keys_values(memory, NOWHERE, places[1])
    query = module.queries(x, NOWHERE, places[0])
    return module(query, pairs, ForwardContext({"encoder": Links(mask, *places)}, NOWHERE, probe=probe))


# One call of softmax(QKᵀ/√d)V


def test_hand_numbers():
    query = torch.tensor([[[[2.0, 0, 0, 0]]]], dtype=torch.float64)
    key = torch.tensor([[[[math.log(3), 9, 9, 9], [0, 9, 9, 9]]]], dtype=torch.float64)
    value = torch.tensor([[[[1.0, 0, 0, 0], [0, 1, 0, 0]]]], dtype=torch.float64)
    # The scores are 2·ln 3 / √4 and 0, so the weights are 3/4 and 1/4.
    torch.testing.assert_close(attend(query, key, value), torch.tensor([[[[0.75, 0.25, 0, 0]]]], dtype=torch.float64))


@given(
    batch=st.integers(1, 3),
    queries=st.integers(1, 6),
    keys=st.integers(1, 6),
    width=st.integers(1, 8),
    with_bias=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_both_paths_equal_the_formula(batch, queries, keys, width, with_bias, seed):
    query, key, value = heads(batch, 2, queries, keys, width, seed)
    generator = torch.Generator().manual_seed(seed)
    allowed = torch.rand(batch, 1, queries, keys, generator=generator) < 0.7
    bias = torch.randn(batch, 2, queries, keys, generator=generator, dtype=torch.float64) if with_bias else None
    mask = Mask.of(allowed)

    expected = torch.zeros_like(query)
    for b, h, q in ((b, h, q) for b in range(batch) for h in range(2) for q in range(queries)):
        open_keys = [k for k in range(keys) if allowed[b, 0, q, k]]
        scores = [
            sum(float(x) * float(y) for x, y in zip(query[b, h, q], key[b, h, k], strict=True)) / math.sqrt(width)
            + (float(bias[b, h, q, k]) if bias is not None else 0.0)
            for k in open_keys
        ]
        for k, score in zip(open_keys, scores, strict=True):
            expected[b, h, q] += math.exp(score) / sum(map(math.exp, scores)) * value[b, h, k]

    torch.testing.assert_close(attend(query, key, value, mask=mask, bias=bias), expected, rtol=0, atol=1e-9)
    torch.testing.assert_close(explicit(query, key, value, mask, bias), expected, rtol=0, atol=1e-9)


def test_float32():
    query, key, value = (x.float() for x in heads())
    mask = key_mask(torch.tensor([[True, True, True, False, False], [True] * 5]))
    expected = explicit(query.double(), key.double(), value.double(), mask).float()
    torch.testing.assert_close(attend(query, key, value, mask=mask), expected, rtol=0, atol=1e-6)


def test_huge_scores_stay_finite():
    query, key, value = (1e4 * x for x in heads())
    mask = key_mask(torch.tensor([[True, False, True, False, False], [True] * 5]))
    weights = attention_weights(attention_scores(query, key, None), mask)
    assert weights.isfinite().all()
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]), rtol=0, atol=1e-12)
    assert attend(query, key, value, mask=mask).isfinite().all()


def test_forbidden_keys_get_exactly_nothing():
    query, key, _ = heads(batch=1, queries=4, keys=4)
    mask = key_mask(torch.tensor([[True, True, False, False]]))
    weights = attention_weights(attention_scores(query, key, None), mask)
    assert (weights[..., 2:] == 0).all()
    assert (weights[..., :2] > 0).all()


@pytest.mark.parametrize("path", [attend, explicit])
def test_row_that_may_look_at_nothing(path):
    query, key, value = (x.requires_grad_() for x in heads(batch=3))
    present = torch.tensor([[True] * 5, [False] * 5, [True, True, False, False, False]])
    out = path(query, key, value, mask=key_mask(present))
    assert (out[1] == 0).all()

    out.pow(2).sum().backward()
    for x in (query, key, value):
        assert x.grad is not None
        assert x.grad.isfinite().all()
        assert (x.grad[1] == 0).all()

    others = [0, 2]
    alone = path(query[others], key[others], value[others], mask=key_mask(present[others]))
    torch.testing.assert_close(out[others], alone, rtol=0, atol=1e-12)


def test_dead_row_weights_are_exactly_zero():
    query, key, _ = heads()
    mask = key_mask(torch.tensor([[False] * 5, [True] * 5]))
    weights = attention_weights(attention_scores(query, key, None), mask)
    assert (weights[0] == 0).all()
    assert not weights.isnan().any()


def test_dead_row_beside_a_bias():
    query, key, value = heads()
    mask = key_mask(torch.tensor([[False] * 5, [True, True, False, True, False]]))
    bias = torch.randn(1, 3, 4, 5, dtype=torch.float64)
    fused = attend(query, key, value, mask=mask, bias=bias)
    assert (fused[0] == 0).all()
    torch.testing.assert_close(fused, explicit(query, key, value, mask, bias), rtol=0, atol=1e-12)


def test_dropped_weights_are_scaled_up():
    torch.manual_seed(0)
    query, key, _ = heads(batch=1, count=1, queries=300, keys=50, width=50)
    out = attend(query, key, torch.eye(50, dtype=torch.float64)[None, None], dropout_rate=0.5)
    weights = attention_weights(attention_scores(query, key, None), None)
    kept = out != 0
    assert kept.double().mean().item() == pytest.approx(0.5, abs=0.02)
    torch.testing.assert_close(out[kept], 2 * weights[kept], rtol=0, atol=1e-12)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("mask", [None, causal_mask(5, 5, torch.device("cpu"))], ids=["no mask", "causal"])
def test_no_kernel_is_built_for_a_shape(mask):
    query, key, value = torch.randn(3, 2, 4, 5, 32, device="cuda", dtype=torch.bfloat16).unbind()
    there = mask and Mask(mask.allowed.cuda(), None)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        found = attend(query, key, value, mask=there)
    names = [event.key for event in seen.key_averages()]
    assert any("scaled_dot_product" in name for name in names)
    assert not any("cudnn" in name for name in names)
    expected = attend(query.cpu().float(), key.cpu().float(), value.cpu().float(), mask=mask)
    torch.testing.assert_close(found.cpu().float(), expected, rtol=0, atol=0.02)


def test_which_path_is_fastest():
    x, half = torch.zeros(1), torch.zeros(1, dtype=torch.bfloat16)
    assert fused_is_fastest(x, 0.0)
    assert not fused_is_fastest(x, 0.1)
    assert not fused_is_fastest(half, 0.0)
    with torch.autocast("cpu", torch.bfloat16):
        assert not fused_is_fastest(x, 0.0)
    assert fused_is_fastest(torch.zeros(1, device="meta"), 0.1)


# Several heads with their projections


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["padded", "causal", "cross"])
def test_equals_torch(bias, kind):
    torch.manual_seed(0)
    ours = multi_head(bias=bias)
    theirs = torch_attention(ours)
    x = torch.randn(2, 4, 12)
    memory = torch.randn(2, 6, 12) if kind == "cross" else x
    present = torch.arange(memory.shape[1]) < torch.tensor([[memory.shape[1]], [2]])
    if kind == "causal":
        mask, options = causal_mask(4, 4, CPU), {"attn_mask": torch.ones(4, 4, dtype=torch.bool).triu(1)}
    else:
        mask, options = key_mask(present), {"key_padding_mask": ~present}

    watch = Watch()
    expected, weights = theirs(x, memory, memory, need_weights=True, average_attn_weights=False, **options)
    torch.testing.assert_close(run(ours, x, memory, mask), expected, rtol=0, atol=1e-9)
    torch.testing.assert_close(run(ours, x, memory, mask, watch), expected, rtol=0, atol=1e-9)
    torch.testing.assert_close(watch.weights_seen, weights, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("float64")
def test_gradients_equal_those_of_torch():
    torch.manual_seed(0)
    ours = multi_head()
    theirs = torch_attention(ours)
    x = torch.randn(2, 4, 12)
    mask = causal_mask(4, 4, CPU)
    run(ours, x, x, mask).pow(2).sum().backward()
    theirs(x, x, x, attn_mask=~mask.allowed[0, 0])[0].pow(2).sum().backward()
    found = torch.cat([part.weight.grad for part in (ours.query, ours.key, ours.value)])
    torch.testing.assert_close(found, theirs.in_proj_weight.grad, rtol=0, atol=1e-9)
    torch.testing.assert_close(ours.output.weight.grad, theirs.out_proj.weight.grad, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("probe", [None, Watch()])
@pytest.mark.parametrize("length", [1, 3])
def test_rows_of_a_sentence_share_its_keys(probe, length):
    torch.manual_seed(0)
    module = multi_head()
    x, memory = torch.randn(6, length, 12), torch.randn(2, 5, 12)  # three rows a sentence
    present = torch.tensor([[True, True, True, False, False], [False] * 5])
    shared = run(module, x, memory, key_mask(present), probe)
    copied = run(module, x, memory.repeat_interleave(3, 0), key_mask(present.repeat_interleave(3, 0)))
    torch.testing.assert_close(shared, copied, rtol=0, atol=1e-12)


class Tilted(PositionScheme):
    """A scheme that uses the other two places: it turns keys and queries, and adds to scores."""

    def rotate(self, vectors, positions, site):
        return vectors * (1 + 0.1 * positions[:, None])

    def bias(self, query, queries, keys, site):
        return query.sum(-1, keepdim=True) + (keys * queries[:, None]).to(torch.get_default_dtype()).mul(0.1)


@pytest.mark.usefixtures("float64")
def test_positions_may_rotate_and_bias():
    torch.manual_seed(0)
    module, scheme = multi_head(), Tilted()
    x, memory = torch.randn(2, 4, 12), torch.randn(2, 6, 12)
    own, others = torch.arange(3, 7), torch.arange(6)

    query = module.split(module.query(x)) * (1 + 0.1 * own[:, None])
    key = module.split(module.key(memory)) * (1 + 0.1 * others[:, None])
    added = query.sum(-1, keepdim=True) + 0.1 * (others * own[:, None])
    expected = F.scaled_dot_product_attention(query, key, module.split(module.value(memory)), attn_mask=added)

    queries, pairs = module.queries(x, scheme, own), module.keys_values(memory, scheme, others)
    links = {"encoder": Links(None, own, others)}
    for probe in (None, Watch()):
        out = module(queries, pairs, ForwardContext(links, scheme, probe=probe))
        torch.testing.assert_close(out, module.output(module.join(expected)), rtol=0, atol=1e-9)

    shared = pairs[0][:1], pairs[1][:1]
    both = module(queries, (shared[0].repeat(2, 1, 1, 1), shared[1].repeat(2, 1, 1, 1)), ForwardContext(links, scheme))
    torch.testing.assert_close(module(queries, shared, ForwardContext(links, scheme)), both, rtol=0, atol=1e-9)


def test_heads_are_slices_of_the_width():
    module = multi_head(width=6, count=3)
    x = torch.arange(12.0).view(1, 2, 6)
    split = module.split(x)
    assert split.shape == (1, 3, 2, 2)
    assert split[0, 1].tolist() == [[2, 3], [8, 9]]
    assert torch.equal(module.join(split), x)


def test_dropout_is_for_training_alone(monkeypatch):
    torch.manual_seed(0)
    module, x = multi_head(dropout=0.5), torch.randn(1, 4, 12)
    rates = []
    monkeypatch.setattr(attention, "attend", lambda query, *_, dropout_rate, **__: rates.append(dropout_rate) or query)
    run(module.eval(), x, x, None)
    run(module.train(), x, x, None)
    assert rates == [0.0, 0.5]


def test_projections_of_self_attention_are_those_of_its_parts():
    torch.manual_seed(0)
    module = SelfAttention(12, site=site(3), bias=True, dropout=0.0).requires_grad_(False)
    x, places = torch.randn(2, 4, 12), torch.arange(3, 7)
    expected = [module.queries(x, Tilted(), places), *module.keys_values(x, Tilted(), places)]
    pack(module)
    query, pairs = module.queries_keys_values(x, Tilted(), places)
    torch.testing.assert_close([query, *pairs], expected, rtol=0, atol=1e-6)
