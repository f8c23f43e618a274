"""Scaled dot-product and multi-head attention (Vaswani et al. 2017, section 3.2).

`B` batch, `N` sentences (B of them, or fewer with several rows each), `H` heads, `Q` queries, `K` keys, `d` width of a
head's queries and keys, `e` of its values, `D` width of the model.
"""

import math
from contextlib import nullcontext
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from headscope.model.network.device import product_dtype
from headscope.model.network.dropout import dropout
from headscope.model.network.linear import FusedLinears, Linear
from headscope.model.network.masks import Mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.sites import KINDS, AttentionKind, Site

Heads = Float[Tensor, "B H T d"]
Values = Float[Tensor, "B H T e"]


KERNELS = (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH)
"""Which of torch's fused kernels may be used on a GPU. Not cuDNN's, the first choice on recent ones: that is built anew
for every shape, which takes longer than the whole update, and batches of text hardly ever have the same shape."""


def fused_is_fastest(query: Tensor, dropout_rate: float) -> bool:
    """Whether torch's fused kernel beats plain matrix products: not where a CPU computes in bf16 or drops weights.

    On a CPU the fused kernel takes twice as long in bf16, its backward pass several times, and it knows no dropout.
    """
    if query.device.type != "cpu":
        return True
    return dropout_rate == 0.0 and product_dtype(query) != torch.bfloat16


def attention_weights(scores: Float[Tensor, "B H Q K"], mask: Mask | None) -> Float[Tensor, "B H Q K"]:
    """Softmax over the allowed keys; forbidden keys get exactly 0, and so does a row that may look at nothing."""
    if mask is None:
        return scores.softmax(-1)
    weights = (scores + mask.fill(scores.dtype)).softmax(-1)
    return weights if mask.live is None else weights * mask.live


def attend(
    query: Float[Tensor, "B H Q d"],
    key: Float[Tensor, "B H K d"],
    value: Float[Tensor, "B H K e"],
    *,
    mask: Mask | None = None,
    bias: Float[Tensor, "#B H Q K"] | None = None,
    dropout_rate: float = 0.0,
) -> Float[Tensor, "B H Q e"]:
    """softmax(QKᵀ/√d + bias)V (equation 1) on the fastest path. Rows that may look at nothing give zeros.

    `dropout_rate` applies to the weights; pass 0 in evaluation.
    """
    if not fused_is_fastest(query, dropout_rate):
        scores = attention_scores(query, key, bias)
        # Autocast would compute the softmax in float32 and round it to bf16 for the next product: the same result.
        with torch.autocast(scores.device.type, enabled=False):
            weights = dropout(attention_weights(scores, mask), dropout_rate, True)
        return weights @ value
    links = None if mask is None else mask.allowed
    if bias is not None:
        hidden = 0 if links is None else torch.zeros_like(links, dtype=query.dtype).masked_fill(~links, -math.inf)
        links = bias.to(query.dtype) + hidden
    live = None if mask is None else mask.live
    if live is not None:
        # A dead row looks at everything in the kernel, which is finite, and is zeroed behind it.
        assert links is not None
        links = links.masked_fill(~live, True if links.dtype == torch.bool else 0.0)
    with nullcontext() if query.device.type == "cpu" else sdpa_kernel(list(KERNELS)):
        context = F.scaled_dot_product_attention(query, key, value, attn_mask=links, dropout_p=dropout_rate)
    return context if live is None else context * live


def attention_scores(
    query: Float[Tensor, "B H Q d"], key: Float[Tensor, "B H K d"], bias: Float[Tensor, "#B H Q K"] | None
) -> Float[Tensor, "B H Q K"]:
    """QKᵀ/√d + bias: what the mask and the softmax are applied to."""
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
    return scores if bias is None else scores + bias


class Compatibility(nn.Module):
    """What a query and a key are compared by: the scaled dot product. Other ways override it (`compatibilities`)."""

    projects = True
    """Whether there are queries and keys; where not, those handed over have width 0."""

    def scores(
        self,
        query: Float[Tensor, "B H Q d"],
        key: Float[Tensor, "B H K d"],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
    ) -> Float[Tensor, "B H Q K"]:
        """What the mask and the softmax are applied to."""
        return attention_scores(query, key, bias)

    def attend(
        self,
        query: Float[Tensor, "B H Q d"],
        keys_values: tuple[Float[Tensor, "B H K d"], Float[Tensor, "B H K e"]],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
        dropout_rate: float,
    ) -> Float[Tensor, "B H Q e"]:
        """The weighted values, where nobody asks for scores and weights."""
        key, value = keys_values
        return attend(query, key, value, mask=links.mask, bias=bias, dropout_rate=dropout_rate)


class MultiHeadAttention(nn.Module):
    """Attention of several heads side by side (section 3.2.2), at one site of the model.

    Args:
        key_width, value_width: d_k and d_v of a head; `width` / heads where they are left out.
        compatibility: how queries and keys are compared; the scaled dot product where it is left out.
    """

    def __init__(
        self,
        width: int,
        *,
        site: Site,
        bias: bool,
        dropout: float,
        key_width: int | None = None,
        value_width: int | None = None,
        compatibility: Compatibility | None = None,
    ) -> None:
        super().__init__()
        assert site.kind in KINDS
        self.site = site
        self.kind: AttentionKind = site.kind
        self.heads = site.heads
        self.dropout = dropout
        self.compatibility = compatibility or Compatibility()
        keys = site.heads * (key_width or width // site.heads)
        values = site.heads * (value_width or width // site.heads)
        if self.compatibility.projects:
            self.query = Linear(width, keys, bias=bias)
            self.key = Linear(width, keys, bias=bias)
        self.value = Linear(width, values, bias=bias)
        self.output = Linear(values, width, bias=bias)

    def split(self, x: Float[Tensor, "B T C"]) -> Heads:
        """A slice of the width for each head."""
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def join(self, context: Heads) -> Float[Tensor, "B T C"]:
        """The heads side by side again."""
        return context.transpose(1, 2).flatten(2)

    def queries(self, x: Float[Tensor, "B Q D"], positions: PositionScheme, places: Int[Tensor, " Q"]) -> Heads:
        """What is compared with the keys."""
        if not self.compatibility.projects:
            return x.new_empty(len(x), self.heads, x.shape[1], 0)
        return positions.rotate(self.split(self.query(x)), places, self.site)

    def keys_values(
        self, memory: Float[Tensor, "B K D"], positions: PositionScheme, places: Int[Tensor, " K"]
    ) -> tuple[Float[Tensor, "B H K d"], Float[Tensor, "B H K e"]]:
        """What queries are compared with and what they fetch: computed once for as long as `memory` stays."""
        if not self.compatibility.projects:
            value = self.split(self.value(memory))
            return value[..., :0], value
        key = positions.rotate(self.split(self.key(memory)), places, self.site)
        return key, self.split(self.value(memory))

    def forward(
        self,
        query: Float[Tensor, "B H Q d"],
        keys_values: tuple[Float[Tensor, "N H K d"], Float[Tensor, "N H K e"]],
        forward: ForwardContext,
    ) -> Float[Tensor, "B Q D"]:
        """Let each query attend to the keys that the links of its kind allow.

        There may be several rows a sentence (the hypotheses of a beam): with queries of N·n rows and keys of N
        sentences, row i belongs to sentence i // n, and the sentence's keys are not copied for it, unless a probe wants
        them.
        """
        links, probe = forward.links[self.kind], forward.probe
        bias = forward.positions.bias(query, links.queries, links.keys, self.site)
        rate = self.dropout if self.training else 0.0
        if probe is not None and probe.wants(self.site):
            context = self._probed(query, keys_values, links, bias, rate, probe)
        elif len(query) == len(keys_values[0]):
            context = self.compatibility.attend(query, keys_values, links, bias, rate)
        else:
            context = self._shared(query, keys_values, links, bias)
        return self.output(self.join(context))

    def _probed(
        self,
        query: Float[Tensor, "B H Q d"],
        keys_values: tuple[Float[Tensor, "N H K d"], Float[Tensor, "N H K e"]],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
        rate: float,
        probe: Probe,
    ) -> Float[Tensor, "B H Q e"]:
        (key, value), mask = keys_values, links.mask
        if len(key) < len(query):
            sentence = torch.arange(len(query), device=query.device) // (len(query) // len(key))
            key, value, mask = key[sentence], value[sentence], mask and mask.rows(sentence)
        query, key, value = probe.projections(self.site, query, key, value)
        scores = probe.scores(self.site, self.compatibility.scores(query, key, links, bias))
        weights = probe.weights(self.site, attention_weights(scores, mask))
        context = dropout(weights, rate, self.training) @ value
        return probe.context(self.site, weights, value, context)

    def _shared(
        self,
        query: Float[Tensor, "B H Q d"],
        keys_values: tuple[Float[Tensor, "N H K d"], Float[Tensor, "N H K e"]],
        links: Links,
        bias: Float[Tensor, "#B H Q K"] | None,
    ) -> Float[Tensor, "B H Q e"]:
        # The rows of one sentence become further queries of it, and share its mask.
        rows, length = len(query), query.shape[2]
        each = rows // len(keys_values[0])
        if bias is not None:
            bias = _beside(bias.expand(rows, -1, -1, -1), each)
        # Places stay those of one row: only self-attention knows distances, and there every row has keys of its own.
        links = Links(links.mask and links.mask.beside(each), links.queries, links.keys)
        context = self.compatibility.attend(_beside(query, each), keys_values, links, bias, 0.0)
        return context.unflatten(2, (-1, length)).transpose(1, 2).flatten(0, 1)


def _beside(of_rows: Float[Tensor, "B H Q d"], each: int) -> Float[Tensor, "N H q d"]:
    """So many neighbouring rows as queries of one."""
    return of_rows.unflatten(0, (-1, each)).transpose(1, 2).flatten(2, 3)


class SelfAttention(MultiHeadAttention):
    """Attention of a sentence to itself: query, key and value read the same, and are one product where it is packed."""

    def __init__(self, width: int, **options: Any) -> None:
        super().__init__(width, **options)
        read = (self.key, self.value, self.query) if self.compatibility.projects else (self.value,)
        self.beside = FusedLinears(*read)

    def queries_keys_values(
        self, x: Float[Tensor, "B T D"], positions: PositionScheme, places: Int[Tensor, " T"]
    ) -> tuple[Heads, tuple[Heads, Values]]:
        """What `queries` and `keys_values` give of the same rows."""
        if not self.compatibility.projects:
            return self.queries(x, positions, places), self.keys_values(x, positions, places)
        key, value, query = (self.split(part) for part in self.beside(x))
        query, key = (positions.rotate(part, places, self.site) for part in (query, key))
        return query, (key, value)
