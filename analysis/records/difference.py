"""Two records subtracted: what became of attention, or what two models do. No torch here.

Records of two models can be subtracted where both read the same tokens, in pieces or in words (`on_common_tokens`), and
have heads of the same places, or heads that are put there (`at_heads`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.analysis.records.meeting import meet, same_tokens
from headscope.model.errors import HeadscopeError
from headscope.model.sites import AttentionKind

Unit = Literal["pieces", "words"]


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """Two records of the same tokens."""

    first: AttentionMaps
    second: AttentionMaps
    unit: Unit
    """Words: the two cut the text into other pieces."""


def on_common_tokens(first: AttentionMaps, second: AttentionMaps) -> Common:
    """Two models' records of the same texts on tokens that both have, as `meet` finds them.

    Raises:
        HeadscopeError: as `meet`.
    """
    unit: Unit = "pieces" if same_tokens([first, second]) else "words"
    found = meet([first, second])
    return Common(found[0], found[1], unit)


def common_places(first: AttentionMaps, second: AttentionMaps) -> dict[Head, Head]:
    """The heads, by kind, layer and number, that both records have, each standing for itself."""
    return {
        place: place
        for kind in first.maps
        for layer, pair in enumerate(zip(first.layers(kind), second.layers(kind), strict=False))
        for head in range(min(map(len, pair)))
        for place in [Head(kind, layer, head)]
    }


def at_heads(maps: AttentionMaps, places: Mapping[Head, Head]) -> AttentionMaps:
    """The record with other heads in its places.

    Args:
        places: which head of the record stands at each place; kinds without a place are left out.

    Raises:
        HeadscopeError: the places leave a gap in a layer.
    """
    found: dict[AttentionKind, tuple[np.ndarray, ...]] = {}
    kinds: dict[AttentionKind, None] = {place.kind: None for place in places}
    for kind in kinds:
        layers: list[list[np.ndarray]] = []
        for place in sorted(place for place in places if place.kind == kind):
            if place.layer == len(layers):
                layers.append([])
            if place.layer != len(layers) - 1 or place.head != len(layers[-1]):
                raise HeadscopeError(f"no head stands at the place before {place}: give one for every place")
            taken = places[place]
            layers[-1].append(maps.layers(taken.kind)[taken.layer][taken.head])
        found[kind] = tuple(map(np.stack, layers))
    moved = sorted((place, taken) for place, taken in places.items() if place != taken)
    return replace(
        maps,
        maps=found,
        allowed={kind: maps.allowed[kind] for kind in found},
        fingerprint=maps.fingerprint + (f" {moved}" if moved else ""),
    )


def weight_elsewhere(change: AttentionMaps) -> dict[Head, float]:
    """Of every head of a difference of weights, the share of a row's weight that lies elsewhere, mean over the rows:
    0 where both maps are equal, 1 where they have nothing in common (half the sum of sizes, the total variation)."""
    return {
        Head(kind, layer, head): float(np.abs(weights).sum(-1).mean() / 2)
        for kind in change.maps
        for layer, heads in enumerate(change.layers(kind))
        for head, weights in enumerate(heads)
    }


def difference(after: AttentionMaps, before: AttentionMaps) -> AttentionMaps:
    """Every cell, and every log-probability, of one record minus that of the other: from −1 to 1 for weights.

    Raises:
        HeadscopeError: the records are not of the same tokens, layers, heads and quantity.
    """
    if any(getattr(after, name) != getattr(before, name) for name in ("source", "reads", "predicts", "quantity")):
        raise HeadscopeError("only records of the same tokens and quantity can be subtracted: take both of one pair")
    shapes = [[layer.shape for kind in maps.maps for layer in maps.layers(kind)] for maps in (after, before)]
    if after.maps.keys() != before.maps.keys() or shapes[0] != shapes[1]:
        raise HeadscopeError("only records of the same layers and heads can be subtracted: take both from one model")
    return replace(
        after,
        maps={kind: tuple(map(np.subtract, after.layers(kind), before.layers(kind))) for kind in after.maps},
        log_probs=after.log_probs - before.log_probs,
        quantity="difference",
        fingerprint=f"{after.fingerprint} minus {before.fingerprint}",
    )
