"""Encoder and decoder layers (Vaswani et al. 2017, sections 3.1 and 3.3): sub-layers, residual sums, layer norms.

`B` batch, `S` source pieces, `T` target pieces, `D` width of the model.
"""

from collections.abc import Callable
from typing import TypeVar

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from headscope.model.config import ModelConfig
from headscope.model.network.attention import MultiHeadAttention, SelfAttention
from headscope.model.network.compatibilities import compatibility
from headscope.model.network.device import for_products
from headscope.model.network.dropout import dropout
from headscope.model.network.linear import Linear
from headscope.model.network.probe import ForwardContext, Probe
from headscope.model.sites import AttentionKind, Site, site_at

A = TypeVar("A", bound=MultiHeadAttention)


class FeedForward(nn.Module):
    """activation(xW₁ + b₁)W₂ + b₂ at every position alike (equation 2)."""

    def __init__(self, config: ModelConfig, width: int) -> None:
        super().__init__()
        self.inner = Linear(config.d_model, width, bias=config.feed_forward_bias)
        self.outer = Linear(width, config.d_model, bias=config.feed_forward_bias)
        self.activation = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu}[config.activation]
        self.dropout = config.activation_dropout

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Apply it."""
        return self.outer(dropout(self.activation(self.inner(x)), self.dropout, self.training))


class Residual(nn.Module):
    """The sum and the norm around a sub-layer: LayerNorm(x + Sub(x)), or x + Sub(LayerNorm(x)) in pre-norm models."""

    def __init__(self, config: ModelConfig, site: Site) -> None:
        super().__init__()
        self.site = site
        self.norm = nn.LayerNorm(config.d_model, config.norm_epsilon)
        self.post = config.norm == "post"
        self.dropout = config.dropout

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor], probe: Probe | None) -> Tensor:
        """Run `sublayer` inside it."""
        update = dropout(sublayer(x if self.post else self.norm(x)), self.dropout, self.training)
        left = self.norm(x + update) if self.post else x + update
        if probe is not None and probe.wants(self.site):
            left = probe.residual(self.site, x, update, left)
        return left


def _attention(made: type[A], config: ModelConfig, kind: AttentionKind, layer: int) -> A:
    site = site_at(config, kind, layer)
    return made(
        config.d_model,
        site=site,
        bias=config.attention_bias,
        dropout=config.attention_dropout,
        key_width=config.key_width(site.heads),
        value_width=config.value_width(site.heads),
        compatibility=compatibility(config, kind, site.heads),
    )


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.attention = _attention(SelfAttention, config, "encoder", layer)
        self.feed_forward = FeedForward(config, config.encoder.feed_forward)
        self.attention_residual = Residual(config, self.attention.site)
        self.feed_forward_residual = Residual(config, site_at(config, "encoder feed-forward", layer))

    def forward(self, x: Float[Tensor, "B S D"], forward: ForwardContext) -> Float[Tensor, "B S D"]:
        """One layer up."""
        x = self.attention_residual(x, lambda x: self._attend(x, forward), forward.probe)
        return self.feed_forward_residual(x, self.feed_forward, forward.probe)

    def _attend(self, x: Tensor, forward: ForwardContext) -> Tensor:
        places = forward.links["encoder"].queries
        return self.attention(*self.attention.queries_keys_values(for_products(x), forward.positions, places), forward)


class DecoderLayer(nn.Module):
    """Self-attention over what was written so far, cross-attention to the source, feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.attention = _attention(SelfAttention, config, "decoder", layer)
        self.cross = _attention(MultiHeadAttention, config, "cross", layer)
        self.feed_forward = FeedForward(config, config.decoder.feed_forward)
        self.attention_residual = Residual(config, self.attention.site)
        self.cross_residual = Residual(config, self.cross.site)
        self.feed_forward_residual = Residual(config, site_at(config, "decoder feed-forward", layer))

    def forward(self, x: Float[Tensor, "B T D"], forward: ForwardContext) -> Float[Tensor, "B T D"]:
        """One layer up; the keys and values of the T newest pieces join the cache."""
        x = self.attention_residual(x, lambda x: self._attend(x, forward), forward.probe)
        x = self.cross_residual(x, lambda x: self._attend_source(x, forward), forward.probe)
        return self.feed_forward_residual(x, self.feed_forward, forward.probe)

    def _attend(self, x: Tensor, forward: ForwardContext) -> Tensor:
        cache, places = forward.cache, forward.links["decoder"].queries
        assert cache is not None
        query, newest = self.attention.queries_keys_values(for_products(x), forward.positions, places)
        return self.attention(query, cache.layers[self.layer].extend(*newest), forward)

    def _attend_source(self, x: Tensor, forward: ForwardContext) -> Tensor:
        cache, places = forward.cache, forward.links["cross"].queries
        assert cache is not None
        query = self.cross.queries(x, forward.positions, places)
        return self.cross(query, cache.cross[self.layer], forward)
