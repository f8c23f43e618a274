"""A record as a View shows it: pieces or words, start and end symbols shown or hidden."""

from dataclasses import dataclass

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.special_tokens import hide_special, renormalised
from headscope.analysis.records.words import words
from headscope.app.view.state import KINDS, Scale, View
from headscope.model.network.sites import AttentionKind


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


def united(maps: AttentionMaps, view: View) -> AttentionMaps:
    """The record in the view's tokens, with nothing hidden: what measures are taken from."""
    return words(maps) if view.unit == "words" else maps


def with_special(maps: AttentionMaps, view: View) -> Shown:
    """The record with start and end symbols as the view wants them."""
    if view.special == "shown":
        return Shown(maps, None, view.scale)
    found = hide_special(maps)
    if view.special == "renormalised":
        found = renormalised(found)
    return Shown(found.maps, {kind: found.mass(kind) for kind in KINDS}, view.scale)
