"""The same model in `torch.nn`: what ours is compared with."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from headscope.model.config import ModelConfig
from headscope.model.network.attention import MultiHeadAttention
from headscope.model.network.layers import DecoderLayer, EncoderLayer
from headscope.model.network.transformer import Transformer

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}


def paper_sinusoid(position: int, width: int) -> list[float]:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(…): section 3.5, number by number."""
    angles = [position / 10000 ** (2 * (j // 2) / width) for j in range(width)]
    return [math.cos(a) if j % 2 else math.sin(a) for j, a in enumerate(angles)]


def paper_sinusoids(length: int, width: int) -> list[list[float]]:
    """One row a position."""
    return [paper_sinusoid(position, width) for position in range(length)]


def torch_attention(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """torch's attention with our weights."""
    width, bias = ours.query.in_features, ours.query.bias is not None
    theirs = nn.MultiheadAttention(width, ours.heads, bias=bias, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
        theirs.out_proj.weight.copy_(ours.output.weight)
        if bias:
            theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
            theirs.out_proj.bias.copy_(ours.output.bias)
    return theirs


def torch_encoder_layer(ours: EncoderLayer, config: ModelConfig) -> nn.TransformerEncoderLayer:
    """torch's encoder layer with our weights."""
    theirs = nn.TransformerEncoderLayer(config.d_model, config.encoder.heads, **_options(config, ours))
    theirs.self_attn = torch_attention(ours.attention)
    _copy(ours.attention_residual.norm, theirs.norm1)
    _copy(ours.feed_forward_residual.norm, theirs.norm2)
    _copy(ours.feed_forward.inner, theirs.linear1)
    _copy(ours.feed_forward.outer, theirs.linear2)
    return theirs.eval()


def torch_decoder_layer(ours: DecoderLayer, config: ModelConfig) -> nn.TransformerDecoderLayer:
    """torch's decoder layer with our weights."""
    theirs = nn.TransformerDecoderLayer(config.d_model, config.decoder.heads, **_options(config, ours))
    theirs.self_attn = torch_attention(ours.attention)
    theirs.multihead_attn = torch_attention(ours.cross)
    _copy(ours.attention_residual.norm, theirs.norm1)
    _copy(ours.cross_residual.norm, theirs.norm2)
    _copy(ours.feed_forward_residual.norm, theirs.norm3)
    _copy(ours.feed_forward.inner, theirs.linear1)
    _copy(ours.feed_forward.outer, theirs.linear2)
    return theirs.eval()


def _options(config: ModelConfig, ours: EncoderLayer | DecoderLayer) -> dict:
    return {
        "dim_feedforward": ours.feed_forward.inner.out_features,
        "activation": ACTIVATIONS[config.activation],
        "layer_norm_eps": config.norm_epsilon,
        "norm_first": config.norm == "pre",
        "batch_first": True,
    }


def _copy(ours: nn.Module, theirs: nn.Module) -> None:
    theirs.load_state_dict(ours.state_dict())


def causal(length: int) -> Tensor:
    """True where torch must not look."""
    return torch.ones(length, length, dtype=torch.bool).triu(1)


class TorchTwin:
    """A whole Transformer with our weights: as `nn.Transformer` (`logits`), and layer by layer (`attention`)."""

    def __init__(self, model: Transformer) -> None:
        self.ours, config = model, model.config
        encoder_layers = [torch_encoder_layer(layer, config) for layer in model.encoder]
        decoder_layers = [torch_decoder_layer(layer, config) for layer in model.decoder]
        encoder = nn.TransformerEncoder(encoder_layers[0], len(encoder_layers), enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(decoder_layers[0], len(decoder_layers))
        encoder.layers, decoder.layers = nn.ModuleList(encoder_layers), nn.ModuleList(decoder_layers)
        if config.norm == "pre":
            encoder.norm, decoder.norm = model.encoder_norm, model.decoder_norm
        self.nn = nn.Transformer(config.d_model, 2, 1, 1, 1, batch_first=True).eval()
        self.nn.encoder, self.nn.decoder = encoder, decoder

    def logits(self, source: Tensor, present: Tensor, target: Tensor) -> Tensor:
        """A teacher-forced pass through `nn.Transformer`."""
        states = self.nn(
            self._embed(source, self.ours.source_embedding),
            self._embed(target, self.ours.target_embedding),
            tgt_mask=causal(target.shape[1]),
            src_key_padding_mask=~present,
            memory_key_padding_mask=~present,
        )
        return F.linear(states, self.ours.projection.weight, self.ours.projection.bias)

    def attention(self, source: Tensor, present: Tensor, target: Tensor) -> dict[str, list[Tensor]]:
        """The weights [B H Q K] of every layer of a post-norm model, by kind."""
        maps: dict[str, list[Tensor]] = {"encoder": [], "decoder": [], "cross": []}
        options = {"need_weights": True, "average_attn_weights": False}

        def feed_forward(layer, x: Tensor) -> Tensor:
            return layer.linear2(ACTIVATIONS[self.ours.config.activation](layer.linear1(x)))

        x = self._embed(source, self.ours.source_embedding)
        for layer in self.nn.encoder.layers:
            update, weights = layer.self_attn(x, x, x, key_padding_mask=~present, **options)
            x = layer.norm1(x + update)
            x = layer.norm2(x + feed_forward(layer, x))
            maps["encoder"].append(weights)
        memory, x = x, self._embed(target, self.ours.target_embedding)
        for layer in self.nn.decoder.layers:
            update, weights = layer.self_attn(x, x, x, attn_mask=causal(x.shape[1]), **options)
            x = layer.norm1(x + update)
            maps["decoder"].append(weights)
            update, weights = layer.multihead_attn(x, memory, memory, key_padding_mask=~present, **options)
            x = layer.norm2(x + update)
            x = layer.norm3(x + feed_forward(layer, x))
            maps["cross"].append(weights)
        return maps

    def _embed(self, ids: Tensor, table: nn.Embedding) -> Tensor:
        width = table.embedding_dim
        if self.ours.config.positions == "learned":
            positions = self.ours.positions.table[: ids.shape[1]]
        else:
            positions = torch.tensor(paper_sinusoids(ids.shape[1], width), dtype=table.weight.dtype)
        return table.weight[ids] * math.sqrt(width) + positions
