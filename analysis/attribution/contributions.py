"""How much each token puts into a row: norms of the vectors that attention adds up (Kobayashi et al. 2020, 2021).

`H` heads, `Q` queries, `K` keys, `d` width of a head, `D` width of the model, `S` source pieces, `T` target rows.

A weight says how much of a value is taken, not how long that value is. Head h adds to row i, from token j, the vector
α_ij (x_j W_V + b_V) W_O^h; its norm is the contribution of a head (2020). Of a whole sub-layer (2021) the vectors of
all heads are summed first, for norms do not add up, the residual stream joins them, and the layer norm is applied to
each vector on its own, with the deviation observed for their sum:

    post-norm: y -> (y − mean(y)) / deviation · gain; the residual joins what the row's own token adds
    pre-norm:  the vectors as they are, made from normalised tokens; the residual is not normalised (ours: the paper
               has post-norm models alone)

In cross-attention the residual belongs to none of the source tokens and is kept apart, as the row's own stream. Left
out are the output projection's bias, the shift of the layer norm, and the feed-forward sub-layers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headscope.analysis.capture.attention import AttentionProbe, assemble, source_tokens, target_tokens
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.table import Table
from headscope.model.network.attention import MultiHeadAttention
from headscope.model.network.finite import require_finite
from headscope.model.network.layers import Residual
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.network.transformer import transformer
from headscope.model.sites import AttentionKind, Site, layers_of
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

CHUNK = 2**24
"""Numbers of [Q K D] vectors that are held at once."""


@dataclass(frozen=True, slots=True, eq=False)
class SubLayer:
    """One attention sub-layer of one sentence pair: what it is, and what it saw and left."""

    attention: MultiHeadAttention
    residual: Residual
    weights: Float[Tensor, "H Q K"]
    value: Float[Tensor, "H K d"]
    stream: Float[Tensor, "Q D"]
    update: Float[Tensor, "Q D"]
    left: Float[Tensor, "Q D"]

    @torch.no_grad()
    def messages(self) -> Float[Tensor, "H K D"]:
        """(x_j W_V + b_V) W_O^h: what each token sends through each head."""
        output = self.attention.output.weight.unflatten(1, (self.attention.heads, -1))
        return torch.einsum("hkd,ohd->hko", self.value, output)


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Some rows of a sub-layer as sums: keys, own stream and constant together make the vector it leaves."""

    keys: Float[Tensor, "Q K D"]
    """From each token; in self-attention the row's own stream is in that of its own token."""
    own: Float[Tensor, "Q D"]
    """The row's own stream; 0 in self-attention."""
    constant: Float[Tensor, "Q D"]
    """From biases and the norm's shift; no part of any contribution."""


@dataclass(frozen=True, slots=True, eq=False)
class LayerContributions(Table):
    """Norms of what each token adds to a row in a whole sub-layer, residual and norm included."""

    maps: Mapping[AttentionKind, tuple[np.ndarray, ...]]
    """By kind, in the order of `KINDS`: one [Q, K] array a layer. A kind that the model has not is absent."""
    own: tuple[np.ndarray, ...]
    """[T] a layer: what the row's own stream adds in cross-attention."""
    source: Tokens
    reads: Tokens
    predicts: Tokens

    def layers(self, kind: AttentionKind) -> tuple[np.ndarray, ...]:
        """The norms of one kind, one array a layer; empty where the model has none."""
        return self.maps.get(kind, ())

    def to_pandas(self) -> "DataFrame":
        """One row a cell: kind, layer, query_index, key_index (−1: the row's own stream), contribution."""
        import pandas as pd

        def table(kind: AttentionKind, layer: int, norms: np.ndarray, first: int = 0) -> pd.DataFrame:
            query, key = (index.ravel() for index in np.indices(norms.shape))
            columns = {"query_index": query, "key_index": key + first, "contribution": norms.ravel()}
            return pd.DataFrame({"kind": kind, "layer": layer} | columns)

        tables = [table(kind, layer, norms) for kind in self.maps for layer, norms in enumerate(self.maps[kind])]
        tables += [table("cross", layer, own[:, None], first=-1) for layer, own in enumerate(self.own)]
        return pd.concat(tables, ignore_index=True)


class _SubLayerProbe(AttentionProbe):
    """Keeps what every attention sub-layer saw and left."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[Site, list[Tensor]] = {}

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        self.seen[site] = [weights[0], value[0]]
        return context

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        self.seen[site] += [stream[0], update[0], normed[0]]
        return normed


@dataclass(frozen=True, slots=True, eq=False)
class SubLayers:
    """All attention sub-layers of one teacher-forced pass."""

    at: Mapping[Site, SubLayer]
    allowed: Mapping[AttentionKind, Bool[Tensor, "Q K"]]
    """Where each kind of attention might look."""
    log_probs: Float[Tensor, " T"]
    """Of each target piece."""


@torch.no_grad()
def sub_layers(translator: Translator, pair: SentencePair) -> SubLayers:
    """Read a pair, teacher-forced, and keep all of it.

    Raises:
        HeadscopeError: the model has no residual stream.
    """
    translator.model.capabilities().require_residual_stream("contributions")
    model = transformer(translator.model, "contributions")
    probe = _SubLayerProbe()
    found = log_probs(model, forced_batch(translator, [pair]), probe=probe)[0]
    layers = {site: SubLayer(*model.attention(site), *seen) for site, seen in probe.seen.items()}
    return SubLayers(layers, {kind: links.allowed(0) for kind, links in probe.links.items()}, found)


@torch.inference_mode()
def head_contributions(translator: Translator, pair: SentencePair) -> AttentionMaps:
    """Per head: ‖α_ij (x_j W_V + b_V) W_O^h‖ (Kobayashi et al. 2020). Rows do not sum to 1."""
    layers = sub_layers(translator, pair)
    norms = {site: layer.weights * layer.messages().norm(dim=-1)[:, None] for site, layer in layers.at.items()}
    return assemble(translator, pair, norms, layers.allowed, layers.log_probs, "contribution")


@torch.inference_mode()
def layer_contributions(translator: Translator, pair: SentencePair) -> LayerContributions:
    """Per layer, residual and norm included (Kobayashi et al. 2021).

    Raises:
        HeadscopeError: the model has no residual stream, or a norm is not finite.
    """
    at, model = sub_layers(translator, pair).at, translator.model
    maps: dict[AttentionKind, tuple[np.ndarray, ...]] = {}
    own: tuple[np.ndarray, ...] = ()
    for kind in model.capabilities().kinds:
        norms = [_norms(model, at[site]) for site in layers_of(model, kind)]
        maps[kind] = tuple(keys for keys, _ in norms)
        if kind == "cross":
            own = tuple(stream for _, stream in norms)
    reads, predicts = target_tokens(translator, pair)
    return LayerContributions(
        maps=maps,
        own=own,
        source=source_tokens(translator, pair.source),
        reads=reads,
        predicts=predicts,
    )


@torch.no_grad()
def vectors(layer: SubLayer, rows: slice = slice(None)) -> Vectors:
    """What a sub-layer leaves in some rows, as the sum of vectors."""
    keys = torch.einsum("hqk,hko->qko", layer.weights[:, rows], layer.messages())
    own, bias = layer.stream[rows], layer.attention.output.bias
    constant = torch.zeros_like(own) if bias is None else bias.expand_as(own)
    if layer.attention.site.queries == layer.attention.site.keys:
        place = torch.arange(len(layer.stream), device=own.device)[rows]
        keys[torch.arange(len(own), device=own.device), place] += own
        own = torch.zeros_like(own)
    if not layer.residual.post:
        return Vectors(keys, own, constant)
    norm = layer.residual.norm
    deviation = ((layer.stream + layer.update)[rows].var(-1, keepdim=True, unbiased=False) + norm.eps).sqrt()

    def normed(part: Tensor, deviation: Tensor) -> Tensor:
        return (part - part.mean(-1, keepdim=True)) / deviation * norm.weight

    return Vectors(normed(keys, deviation[:, None]), normed(own, deviation), normed(constant, deviation) + norm.bias)


def _norms(model: Seq2Seq, layer: SubLayer) -> tuple[np.ndarray, np.ndarray]:
    """[Q K] of the tokens, and [Q] of the own stream; a few rows at a time, for the vectors are many."""
    queries, keys = layer.weights.shape[1:]
    step = max(1, CHUNK // (keys * layer.stream.shape[-1]))
    found = []
    for first in range(0, queries, step):
        part = vectors(layer, slice(first, first + step))
        norms = part.keys.norm(dim=-1), part.own.norm(dim=-1)
        for values in norms:
            require_finite(values, model, "contributions")
        found.append(tuple(map(to_numpy, norms)))
    of_keys, own = zip(*found, strict=True)
    return np.concatenate(of_keys), np.concatenate(own)
