"""Start and end symbols hidden, and how much of each row is hidden with them.

Raw, the rest of a row keeps its weights; renormalised, it sums to 1 again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.model.sites import AttentionKind


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A record in which the columns of special tokens hold 0. No row is left out: each predicts or reads something."""

    maps: AttentionMaps
    masses: Mapping[AttentionKind, tuple[np.ndarray, ...]]
    """[H, Q] a layer, of every kind that the model has: how much of each row is hidden."""

    def mass(self, kind: AttentionKind) -> tuple[np.ndarray, ...]:
        """The hidden mass of one kind, one array [H, Q] a layer; empty where the model has none."""
        return self.masses.get(kind, ())


def hide_special(maps: AttentionMaps) -> Hidden:
    """Hide them; what can be seen keeps its value."""

    def mass(kind: AttentionKind) -> tuple[np.ndarray, ...]:
        return tuple(layer[:, :, maps.keys(kind).special].sum(-1) for layer in maps.layers(kind))

    shown = maps.mapped(lambda kind, layer: np.where(maps.keys(kind).special, 0, layer), "special hidden")
    return Hidden(shown, {kind: mass(kind) for kind in maps.maps})


def renormalised(hidden: Hidden) -> Hidden:
    """The same with rows that sum to 1 over what can be seen; a row of which all is hidden stays 0."""
    return replace(hidden, maps=hidden.maps.mapped(lambda _, layer: _normalised(layer), "renormalised"))


def _normalised(layer: np.ndarray) -> np.ndarray:
    total = layer.sum(-1, keepdims=True)
    return np.divide(layer, total, out=np.zeros_like(layer), where=total > 0)
