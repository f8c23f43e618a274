"""ALTI+ (Ferrando et al. 2022): how much of every row comes from each source token and each target token before it.

`S` source pieces, `T` target rows, `Q` queries, `K` keys, `D` width of the model.

A sub-layer of attention leaves a sum of vectors, one a token that it reads (see `contributions`). The nearer a vector
lies to the whole sum, the more of the row it makes, in the Manhattan norm:

    share of token j in row i  ∝  max(0, ‖y_i‖₁ − ‖y_i − T_i(x_j)‖₁)

where y_i is what the sub-layer leaves, biases included, and rows are made to sum to 1 (ALTI, Ferrando, Gállego and
Costa-jussà 2022). In cross-attention the row's own stream is one more token (ALTI+, Ferrando et al. 2022). Shares are
then multiplied layer by layer: in the decoder a row has its cross-attention to the encoder's rows, and the rest of it
is what its self-attention mixed. Left out, as in the paper, are the feed-forward sub-layers: they change a row and mix
none. Shares have no sign: a token that made the piece less probable has one as well.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.contributions import CHUNK, SubLayer, SubLayers, sub_layers, vectors
from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.forced import to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.model.network.finite import require_finite
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.sites import layers_of
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Mixing:
    """Shares of tokens in rows: of every sub-layer, and of all of them together. Rows sum to 1."""

    encoder: tuple[np.ndarray, ...]
    """[S, S] a layer."""
    decoder: tuple[np.ndarray, ...]
    """[T, T] a layer."""
    cross: tuple[np.ndarray, ...]
    """[T, S] a layer; with `own` rows sum to 1."""
    own: tuple[np.ndarray, ...]
    """[T] a layer: of the row's own stream in cross-attention."""
    encoded: np.ndarray
    """[S, S]: of source tokens in the encoder's rows."""
    from_source: np.ndarray
    """[T, S]: of source tokens in the decoder's rows; with `from_target` rows sum to 1."""
    from_target: np.ndarray
    """[T, T]: of what the decoder has read."""


@dataclass(frozen=True, slots=True, eq=False)
class Alti(Table):
    """What row t is made of when it predicts its piece."""

    source: Tokens
    reads: Tokens
    predicts: Tokens
    shares: Mixing
    log_probs: np.ndarray
    """[T], in nats: of what is predicted."""

    @property
    def source_share(self) -> np.ndarray:
        """[T]: of all source tokens together; the rest is the target so far, start symbol included."""
        return self.shares.from_source.sum(-1)

    def to_pandas(self) -> "DataFrame":
        """One row a cell: side, row, column, predicts, token, share."""
        import pandas as pd

        tables = []
        for side, shares, tokens in (
            ("source", self.shares.from_source, self.source),
            ("target", self.shares.from_target, self.reads),
        ):
            row, column = (index.ravel() for index in np.indices(shares.shape))
            table = pd.DataFrame({"side": side, "row": row, "column": column})
            table["predicts"] = [self.predicts.tokens[index].piece for index in row]
            table["token"] = [tokens.tokens[index].piece for index in column]
            tables.append(table.assign(share=shares.ravel()))
        return pd.concat(tables, ignore_index=True)


def alti(translator: Translator, pair: SentencePair) -> Alti:
    """What every row of a sentence pair is made of, teacher-forced.

    Raises:
        HeadscopeError: the model has no residual stream, or a number is not finite.
    """
    layers = sub_layers(translator, pair)
    reads, predicts = target_tokens(translator, pair)
    return Alti(
        source=source_tokens(translator, pair.source),
        reads=reads,
        predicts=predicts,
        shares=mixing(translator.model, layers),
        log_probs=to_numpy(layers.log_probs),
    )


@torch.no_grad()
def mixing(model: Seq2Seq, layers: SubLayers) -> Mixing:
    """The shares of one pass.

    Raises:
        HeadscopeError: a number is not finite.
    """
    encoder, decoder, cross = (
        [_shares(model, layers.at[site]) for site in layers_of(model, kind)] for kind in ("encoder", "decoder", "cross")
    )
    encoded = np.eye(layers.allowed["encoder"].shape[-1])
    for keys, _ in encoder:
        encoded = keys @ encoded
    from_source = np.zeros(layers.allowed["cross"].shape)
    from_target = np.eye(len(from_source))
    for (mixed, _), (looked, own) in zip(decoder, cross, strict=True):
        kept = own[:, None] * mixed
        from_source = looked @ encoded + kept @ from_source
        from_target = kept @ from_target
    return Mixing(
        encoder=tuple(keys for keys, _ in encoder),
        decoder=tuple(keys for keys, _ in decoder),
        cross=tuple(keys for keys, _ in cross),
        own=tuple(own for _, own in cross),
        encoded=encoded,
        from_source=from_source,
        from_target=from_target,
    )


def _shares(model: Seq2Seq, layer: SubLayer) -> tuple[np.ndarray, np.ndarray]:
    """[Q K] of the tokens, and [Q] of the own stream, which is 0 in self-attention; a few rows at a time."""
    queries, keys = layer.weights.shape[1:]
    step = max(1, CHUNK // (keys * layer.stream.shape[-1]))
    found = [_nearness(layer, slice(first, first + step)) for first in range(0, queries, step)]
    near = torch.cat(found).double()
    require_finite(near, model, "contributions")
    total = near.sum(-1, keepdim=True)
    # Where no vector points towards the sum, nothing is known to be mixed: the row is its own.
    cross = layer.attention.kind == "cross"
    alone = torch.zeros_like(near)
    own = torch.full((queries,), keys) if cross else torch.arange(queries)
    alone.scatter_(1, own.to(near.device)[:, None], 1.0)
    shares = to_numpy(torch.where(total > 0, near / total, alone))
    return shares[:, :keys], shares[:, keys]


def _nearness(layer: SubLayer, rows: slice) -> Float[Tensor, "Q n"]:
    """max(0, ‖y‖₁ − ‖y − T(x)‖₁) of every token, and of the own stream behind them."""
    parts, left = vectors(layer, rows), layer.left[rows]
    each = torch.cat([parts.keys, parts.own[:, None]], dim=1)
    distance = (left[:, None] - each).abs().sum(-1)
    return (left.abs().sum(-1, keepdim=True) - distance).clamp(min=0)
