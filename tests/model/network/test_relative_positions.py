"""Against the papers' formulas by hand, and against transformers where it has the scheme."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.network.relative_positions import (
    AlibiPositions,
    RotaryPositions,
    ShawPositions,
    T5Positions,
    alibi_slopes,
    distances,
    rotary_angles,
    t5_buckets,
)
from headscope.model.sites import Site, site_at
from tests.toys import random_batch, tiny_config, tiny_model

CONFIG = tiny_config()
ENCODER, DECODER, CROSS = (site_at(CONFIG, kind, 1) for kind in ("encoder", "decoder", "cross"))


@pytest.fixture(autouse=True)
def exact(float64):
    torch.manual_seed(0)


def vectors(length: int, width: int = 8, heads: int = 2) -> torch.Tensor:
    return torch.randn(3, heads, length, width)


def test_cross_attention_knows_no_distance():
    query, places = vectors(4), torch.arange(4)
    rotary, alibi = RotaryPositions(100.0), AlibiPositions()
    shaw, t5 = ShawPositions(CONFIG, CONFIG.key_width, 2), T5Positions(CONFIG, 8, 20)
    assert rotary.rotate(query, places, CROSS) is query
    assert [scheme.bias(query, places, places, CROSS) for scheme in (alibi, shaw, t5)] == [None] * 3
    assert {scheme.limit for scheme in (rotary, alibi, shaw, t5)} == {None}
    assert {scheme.embed(0, 3) for scheme in (rotary, alibi, shaw, t5)} == {None}


def test_rotary_by_hand():
    angles = rotary_angles(torch.tensor([0, 3]), 4, 100.0)
    torch.testing.assert_close(angles, torch.tensor([[0.0, 0.0], [3.0, 0.3]]), rtol=0, atol=1e-15)
    turned = RotaryPositions(100.0).rotate(torch.tensor([[[[1.0, 0, 0, 2]]]]), torch.tensor([3]), ENCODER)
    expected = [math.cos(3), math.sin(3), -2 * math.sin(0.3), 2 * math.cos(0.3)]
    assert turned.flatten().tolist() == pytest.approx(expected, abs=1e-15)


def test_rotary_equals_that_of_transformers():
    from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb, create_sinusoidal_positions

    query = vectors(30)
    sin, cos = create_sinusoidal_positions(30, 8).double()[None].chunk(2, dim=-1)
    theirs = apply_rotary_pos_emb(query.transpose(1, 2), sin, cos).transpose(1, 2)
    ours = RotaryPositions(10_000.0).rotate(query, torch.arange(30), DECODER)
    # Their angles are float32.
    torch.testing.assert_close(ours, theirs, rtol=0, atol=5e-6)


@given(shift=st.integers(0, 5000))
def test_rotary_products_depend_on_the_distance_alone(shift):
    scheme, query, key = RotaryPositions(10_000.0), vectors(5), vectors(7)

    def products(first: int) -> torch.Tensor:
        turned = scheme.rotate(query, torch.arange(first, first + 5), ENCODER)
        return turned @ scheme.rotate(key, torch.arange(first, first + 7), ENCODER).mT

    torch.testing.assert_close(products(shift), products(0), rtol=0, atol=1e-9)
    turned = scheme.rotate(query, torch.arange(shift, shift + 5), ENCODER)
    torch.testing.assert_close(turned.norm(dim=-1), query.norm(dim=-1), rtol=0, atol=1e-9)


def test_alibi_slopes_are_the_published_ones():
    # Section 3: for 8 heads 1/2, 1/4 … 1/256.
    assert alibi_slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    assert alibi_slopes(1).tolist() == [2.0**-8]


@pytest.mark.parametrize("heads", [1, 3, 8, 12, 20])
def test_alibi_equals_that_of_transformers(heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    theirs = build_alibi_tensor(torch.ones(1, 6), heads, torch.float64).view(heads, 1, 6)
    site = Site("decoder", 0, heads, "target", "target", causal=True)
    ours = AlibiPositions().bias(vectors(1, heads=heads), torch.tensor([5]), torch.arange(6), site)
    # Theirs counts up from the first key, which a softmax does not tell from counting down to the last.
    # Its slopes are float32.
    torch.testing.assert_close(ours[0], theirs - theirs[..., -1:], rtol=1e-6, atol=0)


def test_alibi_counts_both_sides_alike_in_the_encoder():
    bias = AlibiPositions().bias(vectors(4, heads=4), torch.arange(4), torch.arange(4), ENCODER)
    assert torch.equal(bias, bias.mT)
    assert bias[0, 0, 1].tolist() == [-0.25, 0, -0.25, -0.5]


def test_alibi_encoders_cannot_tell_a_sentence_from_itself_backwards():
    model = tiny_model(positions="alibi")
    source, present, target = random_batch((5,), (3,))
    expected = model(source, present, target)
    torch.testing.assert_close(model(source.flip(1), present, target), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("site", [ENCODER, DECODER], ids=str)
def test_shaw_by_brute_force(site):
    scheme, width = ShawPositions(CONFIG, CONFIG.key_width, 2), 16 // site.heads
    scheme.reset_parameters()
    table = scheme.keys[f"{site.kind}_1"]
    assert table.shape == (site.heads, 5, width)
    query = vectors(3, width, site.heads)
    bias = scheme.bias(query, torch.arange(4, 7), torch.arange(9), site)
    for row in range(3):
        for key in range(9):
            vector = table[:, max(-2, min(2, key - (row + 4))) + 2]
            expected = (query[:, :, row] * vector).sum(-1) / width**0.5
            torch.testing.assert_close(bias[:, :, row, key], expected, rtol=0, atol=1e-9)
    assert not torch.equal(scheme.keys[f"{site.kind}_0"], table)


@given(
    buckets=st.sampled_from([8, 12, 32, 64]), further=st.integers(1, 200), both_sides=st.booleans(), far=st.booleans()
)
def test_t5_buckets_equal_those_of_transformers(buckets, further, both_sides, far):
    from transformers.models.t5.modeling_t5 import T5Attention

    furthest = buckets // 2 + further
    places = torch.arange(0, 2000, 97) if far else torch.arange(40)
    apart = distances(places, places)
    theirs = T5Attention._relative_position_bucket(apart, both_sides, buckets, furthest)
    ours = t5_buckets(apart, both_sides=both_sides, buckets=buckets, furthest=furthest)
    # Their logarithm is float32: at a power of the base it may fall on either side.
    assert ((ours - theirs).abs() <= 1).all()
    assert (ours == theirs).double().mean() > 0.97
    assert ours.max() < buckets


def test_t5_by_hand():
    # 8 buckets, both sides: 4 for each, of which 2 are exact; the others grow with the logarithm up to 20.
    apart = torch.tensor([[0, -1, -2, -3, -7, -19, -500, 1, 2, 20]])
    assert t5_buckets(apart, both_sides=True, buckets=8, furthest=20).tolist() == [[0, 1, 2, 2, 3, 3, 3, 5, 6, 7]]
    assert t5_buckets(apart, both_sides=False, buckets=8, furthest=20).tolist() == [[0, 1, 2, 3, 5, 7, 7, 0, 0, 0]]


@pytest.mark.parametrize("site", [ENCODER, DECODER], ids=str)
def test_t5_bias_equals_that_of_transformers(site):
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    theirs = T5Attention(
        T5Config(d_model=16, d_kv=4, num_heads=site.heads, is_decoder=site.causal), has_relative_attention_bias=True
    )
    ours = T5Positions(CONFIG, 32, 128)
    assert not any(biases.any() for biases in ours.biases.values())
    with torch.no_grad():
        ours.biases[site.kind].copy_(theirs.relative_attention_bias.weight)
    found = ours.bias(vectors(12, heads=site.heads), torch.arange(12), torch.arange(12), site)
    torch.testing.assert_close(found, theirs.compute_bias(12, 12), rtol=0, atol=1e-9)


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(HeadscopeError, match=r"encoder\.heads = 16 makes heads of odd width"):
        tiny_config(positions="rotary", d_model=16, encoder={"layers": 1, "heads": 16, "feed_forward": 8})
    with pytest.raises(HeadscopeError, match="t5_furthest = 16 must be above half of t5_buckets = 32"):
        tiny_config(positions="t5", t5_furthest=16)
