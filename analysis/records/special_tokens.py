"""Start and end symbols hidden, and how much of each row is hidden with them.

Raw, the rest of a row keeps its weights; renormalised, it sums to 1 again.
"""

from dataclasses import dataclass, replace

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Kind


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A record in which the columns of special tokens hold 0. No row is left out: each predicts or reads something."""

    maps: AttentionMaps
    encoder: tuple[np.ndarray, ...]
    """[H, S] a layer: how much of each row is hidden."""
    decoder: tuple[np.ndarray, ...]
    """[H, T] a layer."""
    cross: tuple[np.ndarray, ...]
    """[H, T] a layer."""

    def mass(self, kind: Kind) -> tuple[np.ndarray, ...]:
        """The hidden mass of one kind, one array [H, Q] a layer."""
        return {"encoder": self.encoder, "decoder": self.decoder, "cross": self.cross}[kind]


def hide_special(maps: AttentionMaps) -> Hidden:
    """Hide them; what can be seen keeps its value."""

    def mass(kind: Kind) -> tuple[np.ndarray, ...]:
        return tuple(layer[:, :, maps.keys(kind).special].sum(-1) for layer in maps.layers(kind))

    shown = maps.mapped(lambda kind, layer: np.where(maps.keys(kind).special, 0, layer), "special hidden")
    return Hidden(shown, mass("encoder"), mass("decoder"), mass("cross"))


def renormalised(hidden: Hidden) -> Hidden:
    """The same with rows that sum to 1 over what can be seen; a row of which all is hidden stays 0."""
    return replace(hidden, maps=hidden.maps.mapped(lambda _, layer: _normalised(layer), "renormalised"))


def _normalised(layer: np.ndarray) -> np.ndarray:
    total = layer.sum(-1, keepdims=True)
    return np.divide(layer, total, out=np.zeros_like(layer), where=total > 0)
