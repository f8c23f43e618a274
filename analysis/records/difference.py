"""Two records subtracted: what became of attention, or what two models do. No torch here.

Records of two models can be subtracted where both read the same tokens, in pieces or in words (`on_common_tokens`), and
have heads of the same places, or heads that are put there (`at_heads`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.heads import Head
from headscope.analysis.records.words import words
from headscope.model.errors import HeadscopeError
from headscope.model.sites import AttentionKind

Unit = Literal["pieces", "words"]
SIDES = ("source", "reads", "predicts")


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """Two records of the same tokens."""

    first: AttentionMaps
    second: AttentionMaps
    unit: Unit
    """Words: the two cut the text into other pieces."""


def on_common_tokens(first: AttentionMaps, second: AttentionMaps) -> Common:
    """Two models' records of the same texts on tokens that both have: their pieces where these are alike, else words.

    The second record bears the ids of the first, for those of another vocabulary would differ all the same.

    Raises:
        HeadscopeError: the texts are not the same, one ends with an end of sentence and the other does not, or the
            pieces of one stand for no words.
    """
    if _alike(first, second):
        return Common(first, _named_as(first, second), "pieces")
    in_words = words(first), words(second)
    if any(getattr(in_words[0], side).text != getattr(in_words[1], side).text for side in SIDES):
        raise HeadscopeError(
            "the two records are of other texts, so their attention has no difference: let both read the same sentence "
            "with the same translation"
        )
    if not _alike(*in_words):
        raise HeadscopeError(
            "the two models read the text as other words, or one of them with an end of sentence that the other does "
            "not have, so their attention has no difference: choose checkpoints of one vocabulary"
        )
    return Common(in_words[0], _named_as(*in_words), "words")


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
    for kind in {place.kind: None for place in places}:
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


def _alike(first: AttentionMaps, second: AttentionMaps) -> bool:
    """Symbols may be spelt in other ways, but have to stand at the same places."""

    def spelt(maps: AttentionMaps) -> list[list[tuple[str, tuple[int, int]] | None]]:
        sides: list[Tokens] = [getattr(maps, side) for side in SIDES]
        return [[None if token.special else (token.piece, token.span) for token in side.tokens] for side in sides]

    return spelt(first) == spelt(second)


def _named_as(first: AttentionMaps, second: AttentionMaps) -> AttentionMaps:
    sides: dict[str, Tokens] = {side: getattr(first, side) for side in SIDES}
    return replace(second, **sides)


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
