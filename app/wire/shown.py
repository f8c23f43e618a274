"""A record as it is shown: what of it is hidden, and where its colours end; and what became of it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.difference import difference
from headscope.model.sites import AttentionKind

Scale = Literal["fixed", "largest"]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A record, and how much of it cannot be seen."""

    maps: AttentionMaps
    hidden: dict[AttentionKind, tuple[np.ndarray, ...]] | None
    """[H, Q] a layer: what each row has on start and end symbols; None where these are shown."""
    scale: Scale = "fixed"

    def most(self, kind: AttentionKind, *layers: int) -> float:
        """The end of the colour scale for heads of these layers: 1 for weights, unless the scale ends at the largest
        in sight, as that of contributions always does; that of differences ends there on either side of 0."""
        if self.maps.quantity == "weight" and self.scale == "fixed":
            return 1.0
        return float(max(np.abs(self.maps.layers(kind)[layer]).max() for layer in layers))

    def row_masses(self, kind: AttentionKind, layer: int, head: int) -> list[float] | None:
        """What each row has on symbols that are hidden; None where none is."""
        return None if self.hidden is None else self.hidden[kind][layer][head].astype(float).round(4).tolist()


def changed(after: Shown, before: Shown) -> Shown:
    """What became of a record, as far as it is shown: every cell, and what each row hides, of one minus the other.

    Raises:
        HeadscopeError: as `difference`.
    """
    hidden: dict[AttentionKind, tuple[np.ndarray, ...]] | None = None
    if after.hidden is not None and before.hidden is not None:
        hidden = {kind: tuple(map(np.subtract, after.hidden[kind], before.hidden[kind])) for kind in after.hidden}
    return Shown(difference(after.maps, before.maps), hidden, after.scale)
