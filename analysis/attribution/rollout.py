"""Attention rollout (Abnar and Zuidema 2020): where in the source each row comes from, layer by layer.

`S` source pieces with the end of sentence, `T` target rows.

Each layer passes on half of what it found and half of what its heads, averaged, look at. So in an encoder-decoder of L
decoder layers the source's share of every row is 1 − 2^−L, whatever the model and the sentence: rollout cannot tell how
much comes from the source and how much from the target so far. It is a distribution over source tokens, and no more.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.sites import KINDS

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Rollout(Table):
    """Where each row comes from."""

    source: Tokens
    reads: Tokens
    predicts: Tokens
    distribution: np.ndarray
    """[T, S]: of each decoder row over source tokens; rows sum to 1."""
    encoder: np.ndarray
    """[S, S]: of each encoder output over source tokens; rows sum to 1."""

    def to_pandas(self) -> "DataFrame":
        """One row a target row and source token: query_index, key_index, reads, predicts, key, share."""
        import pandas as pd

        query, key = (index.ravel() for index in np.indices(self.distribution.shape))
        return pd.DataFrame(
            {
                "query_index": query,
                "key_index": key,
                "reads": [self.reads.tokens[index].piece for index in query],
                "predicts": [self.predicts.tokens[index].piece for index in query],
                "key": [self.source.tokens[index].piece for index in key],
                "share": self.distribution.ravel(),
            }
        )


def rollout(maps: AttentionMaps) -> Rollout:
    """Roll the weights of a record out.

    Raises:
        HeadscopeError: the record lacks a kind of attention, or holds something else than weights.
    """
    if maps.quantity != "weight":
        raise HeadscopeError(f"rollout is of attention weights, not of {maps.quantity}s: give a record of weights")
    source = source_shares(maps)
    distribution = source / source.sum(-1, keepdims=True)
    return Rollout(maps.source, maps.reads, maps.predicts, distribution, _encoder(maps))


def source_shares(maps: AttentionMaps) -> np.ndarray:
    """[T, S]: the share of each source token in each decoder row, that of the target so far left out.

    Each row sums to 1 − 2^−L.

    Raises:
        HeadscopeError: the record lacks a kind of attention.
    """
    maps.require(KINDS, "rollout")
    encoder = _encoder(maps)
    shares = np.zeros((len(maps.reads), len(maps.source)))
    for own, cross in zip(maps.decoder, maps.cross, strict=True):
        shares = 0.5 * shares + 0.5 * _averaged(own) @ shares
        shares = 0.5 * shares + 0.5 * _averaged(cross) @ encoder
    return shares


def _encoder(maps: AttentionMaps) -> np.ndarray:
    shares = np.eye(len(maps.source))
    for weights in maps.encoder:
        shares = 0.5 * shares + 0.5 * _averaged(weights) @ shares
    return shares


def _averaged(weights: np.ndarray) -> np.ndarray:
    return weights.mean(0, dtype=float)
