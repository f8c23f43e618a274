"""What a head does in one sentence pair, as numbers.

`H` heads, `Q` queries, `K` keys; a(q, k) is the weight of key k in row q. Every measure is a mean over the rows of a
map that stand for a piece, each of equal weight: in the encoder those that read one (not the end of sentence), in the
decoder those that read one (not the first, which can look only at itself), in cross-attention those that predict one
(not the last, which predicts the end of sentence). Keys are all that the row may look at, the end of sentence and the
start symbol among them, unless it says otherwise. Offsets and distances need queries and keys on one axis, so there are
none in cross-attention; in the decoder the axis is what is read, so the row that has just read y(t) is at y(t). A
measure that means nothing for a head, or has no row to be taken from, is NaN.

The record may be one of pieces, or of words whose rows are those that read them.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.heads import Head
from headscope.analysis.records.table import Table
from headscope.model.sites import KINDS, AttentionKind

if TYPE_CHECKING:
    from pandas import DataFrame

MEASURES: Mapping[str, str] = {
    "entropy": "−Σ a ln a of a row, in nats",
    "relative_entropy": "entropy over ln(number of keys available), 0 to 1; rows with one key are left out",
    "confidence": "largest weight of a row, the source's end of sentence left aside, averaged over rows, "
    "and in a corpus over sentences (after Voita et al. 2019)",
    "distance": "Σ a |q − k|, in tokens",
    "relative_distance": "distance over that of uniform attention to available keys; rows with one key are left out",
    "previous": "weight on the token before",
    "same": "weight on the token itself",
    "next": "weight on the token after; impossible in the decoder",
    "previous_peak": "share of rows whose largest weight is on the token before (Voita et al. 2019, section 5.1)",
    "same_peak": "share of rows whose largest weight is on the token itself",
    "next_peak": "share of rows whose largest weight is on the token after; impossible in the decoder",
    "end": "weight on the source's end of sentence; none where the model reads none",
    "start": "weight on the start symbol; in the decoder alone",
    "punctuation": "weight on tokens of punctuation only",
    "diagonality": "cross-attention: Σ a (1 − |y − x| / u) over source pieces, with x and y the places of key and row "
    "in their sentences from 0 to 1, and u the mean of |y − x| over the pieces: 1 on the diagonal, 0 when spread "
    "evenly or all at the end of sentence; needs two pieces on either side",
    "coverage": "cross-attention: mean over source pieces of min(1, Σ a over rows), the row of the end of sentence "
    "left out (after Wu et al. 2016, equation 14, which sums logarithms)",
    "largest_coverage": "cross-attention: the largest Σ a over rows of a source piece, not clipped at 1: large "
    "where a translation keeps coming back to one piece",
}
"""Every measure and its definition, in the order of the table."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadMeasures(Table):
    """All measures of all heads."""

    heads: tuple[Head, ...]
    values: Mapping[str, np.ndarray]
    """By the names in `MEASURES`: one number a head."""

    def to_pandas(self) -> "DataFrame":
        """One row a head."""
        import pandas as pd

        return pd.DataFrame(self.heads, columns=list(Head._fields)).assign(**self.values)


def head_measures(maps: AttentionMaps) -> HeadMeasures:
    """Measure every head of a record of weights."""
    heads = tuple(
        Head(kind, layer, head)
        for kind in KINDS
        for layer, weights in enumerate(maps.layers(kind))
        for head in range(len(weights))
    )
    kinds = [_measure(maps, kind) for kind in KINDS if maps.layers(kind)]
    return HeadMeasures(heads, {name: np.concatenate([kind[name] for kind in kinds]) for name in MEASURES})


def is_punctuation(token: Token, text: str) -> bool:
    """Whether all that a token stands for in the text, blanks aside, is punctuation (Unicode category P)."""
    spelt = text[slice(*token.span)].strip()
    return bool(spelt) and not token.special and all(unicodedata.category(char).startswith("P") for char in spelt)


def _measure(maps: AttentionMaps, kind: AttentionKind) -> dict[str, np.ndarray]:
    """The heads of all layers at once: for sentences the calls cost more than the numbers."""
    weights, allowed = np.concatenate(maps.layers(kind)).astype(float), maps.allowed[kind]
    keys = maps.keys(kind)
    rows = ~(maps.predicts if kind == "cross" else maps.queries(kind)).special
    found = {name: np.full(len(weights), np.nan) for name in MEASURES}
    found |= _spread(weights, allowed, keys, kind, rows)
    if kind == "cross":
        found |= _across(weights[:, rows], keys)
    else:
        found |= _along(weights, allowed, rows)
    punctuation = np.array([is_punctuation(token, keys.text) for token in keys.tokens])
    found["punctuation"] = _mean(weights[:, :, punctuation].sum(-1), rows)
    if keys.special.any():  # a model may read its source without an end
        found["start" if kind == "decoder" else "end"] = _mean(weights[:, :, keys.special].sum(-1), rows)
    return found


def _spread(
    weights: np.ndarray, allowed: np.ndarray, keys: Tokens, kind: AttentionKind, rows: np.ndarray
) -> dict[str, np.ndarray]:
    """How sharp rows are, wherever they look."""
    available = allowed.sum(-1)
    entropy = -(weights * np.log(weights, out=np.zeros_like(weights), where=weights > 0)).sum(-1)
    choice = rows & (available > 1)
    share = entropy / np.log(np.maximum(available, 2))
    contenders = weights if kind == "decoder" else weights[:, :, ~keys.special]
    return {
        "entropy": _mean(entropy, rows),
        "relative_entropy": _mean(share, choice),
        "confidence": _mean(contenders.max(-1, initial=0), rows),
    }


def _along(weights: np.ndarray, allowed: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Where rows look in their own sentence."""
    size = weights.shape[-1]
    place = np.arange(size)
    gaps = np.abs(place[:, None] - place)
    uniform = (gaps * allowed).sum(-1) / allowed.sum(-1)
    distance = (weights * gaps).sum(-1)
    choice = rows & (uniform > 0)
    found = {
        "distance": _mean(distance, rows),
        "relative_distance": _mean(distance / np.where(uniform > 0, uniform, 1), choice),
    }
    peak = weights.argmax(-1)
    for name, offset in {"previous": -1, "same": 0, "next": 1}.items():
        there = place + offset
        inside = there.clip(0, size - 1)
        possible = rows & (there == inside) & allowed[place, inside]
        found[name] = _mean(weights[:, place, inside], possible)
        found[f"{name}_peak"] = _mean((peak == there).astype(float), possible)
    return found


def _across(weights: np.ndarray, source: Tokens) -> dict[str, np.ndarray]:
    """How rows that predict a piece go along the pieces of the source."""
    pieces = weights[:, :, ~source.special]
    _, queries, count = pieces.shape
    if not queries or not count:
        return {}
    received = pieces.sum(1)
    found = {"coverage": np.minimum(received, 1).mean(-1), "largest_coverage": received.max(-1)}
    if queries > 1 and count > 1:
        away = np.abs(np.linspace(0, 1, queries)[:, None] - np.linspace(0, 1, count))
        closeness = 1 - away / away.mean(-1, keepdims=True)
        found["diagonality"] = (pieces * closeness).sum(-1).mean(-1)
    return found


def _mean(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """[H, Q] averaged over the rows chosen, NaN where there are none."""
    return values[:, rows].mean(-1) if rows.any() else np.full(len(values), np.nan)
