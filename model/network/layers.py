"""Encoder and decoder layers (Vaswani et al. 2017, sections 3.1 and 3.3): sub-layers, residual sums, layer norms.

`B` batch, `N` sentences (B, or fewer with several rows each), `S` source pieces, `T` target pieces, `K` pieces read so
far, `H` heads, `d` width of a head, `D` width of the model.
"""

from collections.abc import Callable
from typing import TypeVar

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from headscope.model.config import ModelConfig, StackConfig
from headscope.model.network.attention import MultiHeadAttention, SelfAttention
from headscope.model.network.cache import SelfCache
from headscope.model.network.device import for_products
from headscope.model.network.dropout import dropout
from headscope.model.network.linear import Linear
from headscope.model.network.masks import Mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import Kind, Probe, Site

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


def _attention(made: type[A], config: ModelConfig, stack: StackConfig, kind: Kind, layer: int) -> A:
    return made(
        config.d_model,
        stack.heads,
        site=Site(kind, layer),
        bias=config.attention_bias,
        dropout=config.attention_dropout,
    )


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.attention = _attention(SelfAttention, config, config.encoder, "encoder", layer)
        self.feed_forward = FeedForward(config, config.encoder.feed_forward)
        self.attention_residual = Residual(config, self.attention.site)
        self.feed_forward_residual = Residual(config, Site("encoder feed-forward", layer))

    def forward(
        self,
        x: Float[Tensor, "B S D"],
        mask: Mask,
        positions: PositionScheme,
        places: Int[Tensor, " S"],
        probe: Probe | None,
    ) -> Float[Tensor, "B S D"]:
        """One layer up."""
        x = self.attention_residual(x, lambda x: self._attend(x, mask, positions, places, probe), probe)
        return self.feed_forward_residual(x, self.feed_forward, probe)

    def _attend(self, x: Tensor, mask: Mask, positions: PositionScheme, places: Tensor, probe: Probe | None) -> Tensor:
        query, pairs = self.attention.queries_keys_values(for_products(x), positions, places)
        return self.attention(query, pairs, mask=mask, positions=positions, places=(places, places), probe=probe)


class DecoderLayer(nn.Module):
    """Self-attention over what was written so far, cross-attention to the source, feed-forward."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        self.attention = _attention(SelfAttention, config, config.decoder, "decoder", layer)
        self.cross = _attention(MultiHeadAttention, config, config.decoder, "cross", layer)
        self.feed_forward = FeedForward(config, config.decoder.feed_forward)
        self.attention_residual = Residual(config, self.attention.site)
        self.cross_residual = Residual(config, self.cross.site)
        self.feed_forward_residual = Residual(config, Site("decoder feed-forward", layer))

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        own: SelfCache,
        source: tuple[Float[Tensor, "N H S d"], Float[Tensor, "N H S d"]],
        own_mask: Mask | None,
        source_mask: Mask | None,
        positions: PositionScheme,
        own_places: Int[Tensor, " K"],
        source_places: Int[Tensor, " S"],
        probe: Probe | None,
    ) -> Float[Tensor, "B T D"]:
        """One layer up. The last T of `own_places` are those of `x`; the others are in the cache `own`."""
        places = own_places[-x.shape[1] :]
        x = self.attention_residual(
            x, lambda x: self._attend(x, own, own_mask, positions, places, own_places, probe), probe
        )
        x = self.cross_residual(
            x,
            lambda x: self._attend_source(x, source, source_mask, positions, (places, source_places), probe),
            probe,
        )
        return self.feed_forward_residual(x, self.feed_forward, probe)

    def _attend(
        self,
        x: Tensor,
        own: SelfCache,
        mask: Mask | None,
        positions: PositionScheme,
        places: Tensor,
        own_places: Tensor,
        probe: Probe | None,
    ) -> Tensor:
        query, newest = self.attention.queries_keys_values(for_products(x), positions, places)
        pairs = own.extend(*newest)
        return self.attention(query, pairs, mask=mask, positions=positions, places=(places, own_places), probe=probe)

    def _attend_source(
        self,
        x: Tensor,
        source: tuple[Tensor, Tensor],
        mask: Mask | None,
        positions: PositionScheme,
        places: tuple[Tensor, Tensor],
        probe: Probe | None,
    ) -> Tensor:
        query = self.cross.queries(x, positions, places[0])
        return self.cross(query, source, mask=mask, positions=positions, places=places, probe=probe)
