import pytest
import torch
from torch import nn

from headscope.model.network.cache import DecoderCache
from headscope.model.network.layers import DecoderLayer, EncoderLayer, FeedForward, Residual
from headscope.model.network.masks import causal_mask, key_mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links
from headscope.model.sites import site_at
from tests.torch_twin import causal, torch_decoder_layer, torch_encoder_layer
from tests.toys import tiny_config, tiny_model

NOWHERE = PositionScheme()
PRESENT = torch.tensor([[True] * 6, [True, True, False, False, False, False]])


def run_encoder(layer: EncoderLayer, x: torch.Tensor) -> torch.Tensor:
    places = torch.arange(x.shape[1])
    return layer(x, ForwardContext({"encoder": Links(key_mask(PRESENT), places, places)}, NOWHERE))


def run_decoder(layer: DecoderLayer, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
    own, others = torch.arange(x.shape[1]), torch.arange(memory.shape[1])
    cache = DecoderCache([layer.cross.keys_values(memory, NOWHERE, others)] * (layer.layer + 1), key_mask(PRESENT))
    links = {
        "decoder": Links(causal_mask(len(own), len(own), x.device), own, own),
        "cross": Links(cache.mask, own, others),
    }
    return layer(x, ForwardContext(links, NOWHERE, cache))


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu"])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-2])
def test_layers_equal_torch(norm, activation, epsilon):
    model = tiny_model(norm=norm, activation=activation, norm_epsilon=epsilon)
    x, y = torch.randn(2, 6, 16), torch.randn(2, 4, 16)

    for layer in model.encoder:
        theirs = torch_encoder_layer(layer, model.config)(x, src_key_padding_mask=~PRESENT)
        torch.testing.assert_close(run_encoder(layer, x), theirs, rtol=0, atol=1e-9)
    for layer in model.decoder:
        theirs = torch_decoder_layer(layer, model.config)(y, x, tgt_mask=causal(4), memory_key_padding_mask=~PRESENT)
        torch.testing.assert_close(run_decoder(layer, y, x), theirs, rtol=0, atol=1e-9)


def test_feed_forward_without_biases():
    layer = FeedForward(tiny_config(feed_forward_bias=False, activation="relu"), 24)
    assert [name for name, _ in layer.named_parameters()] == ["inner.weight", "outer.weight"]
    x = torch.randn(1, 3, 16)
    torch.testing.assert_close(layer(x), (x @ layer.inner.weight.T).clamp(min=0) @ layer.outer.weight.T)


def test_activations_by_number():
    values = {"relu": [0.0, 0.0, 2.0], "gelu": [-0.158655, 0.0, 1.954500], "silu": [-0.268941, 0.0, 1.761594]}
    for name, expected in values.items():
        layer = FeedForward(tiny_config(activation=name), 24)
        assert layer.activation(torch.tensor([-1.0, 0.0, 2.0])).tolist() == pytest.approx(expected, abs=1e-5)


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_norm_divides_by_the_biased_variance(norm):
    """Epsilon is added to the variance under the root; a row of equal numbers stays finite."""
    config = tiny_config(norm=norm, norm_epsilon=0.5, dropout=0)
    residual = Residual(config, site_at(config, "encoder", 0))
    x = torch.stack([torch.linspace(-1, 3, 16), torch.full((16,), 7.0)])[None]

    def normed(rows: torch.Tensor) -> torch.Tensor:
        centred = rows - rows.mean(-1, keepdim=True)
        return centred / (centred.pow(2).mean(-1, keepdim=True) + 0.5).sqrt()

    found = residual(x, lambda y: 2 * y, None)
    expected = normed(x + 2 * x) if norm == "post" else x + 2 * normed(x)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_residual_of_a_pre_norm_layer_adds_to_the_stream_itself():
    config = tiny_config(norm="pre", dropout=0)
    residual = Residual(config, site_at(config, "encoder", 0))
    nn.init.zeros_(residual.norm.weight)
    x = torch.randn(1, 3, 16)
    assert torch.equal(residual(x, lambda normed: normed, None), x)
