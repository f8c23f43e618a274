"""A record as it is shown: what of it is hidden, and where its colours end."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
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
        in sight, as that of contributions always does."""
        if self.maps.quantity == "weight" and self.scale == "fixed":
            return 1.0
        return float(max(self.maps.layers(kind)[layer].max() for layer in layers))

    def row_masses(self, kind: AttentionKind, layer: int, head: int) -> list[float] | None:
        """What each row has on symbols that are hidden; None where none is."""
        return None if self.hidden is None else self.hidden[kind][layer][head].astype(float).round(4).tolist()
