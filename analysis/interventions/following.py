"""Place or word: what a head's attention goes by, once tokens stand at other positions.

A head that goes by words alone looks at the same words as before. One that goes by places alone looks, from the token
that now stands at a place, at the tokens that now stand where it looked before. Which of the two the new map is nearer
to is a number from −1 (the words) to 1 (the places).

`Q` queries, `K` keys.
"""

import numpy as np
import torch

from headscope.analysis.interventions.positions import Elsewhere
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.model.sites import AttentionKind, Side

LEAST = 0.01
"""Share of a row's attention: where a map has changed by less, and where the places ask for less of a change, nothing
can be told."""
SIDES_OF: dict[AttentionKind, tuple[Side, Side]] = {
    "encoder": ("source", "source"),
    "decoder": ("target", "target"),
    "cross": ("target", "source"),
}
"""What rows and columns are."""


def followed(before: AttentionMaps, after: AttentionMaps, change: Elsewhere, kind: AttentionKind) -> dict[Head, float]:
    """Of every head of a kind, (d_word − d_place) / (d_word + d_place).

    d is the mean over rows of the total variation distance of the map after the change: d_word from the map before it,
    d_place from that map with rows and columns where their tokens now stand. Rows in which both would be the same, and
    keys that a row may not look at, are left out. A head of which nothing can be told has no number.

    Args:
        before, after: weights in pieces, of one pair.
        change: must put tokens where others stand, each at a place of its own; else no head has a number.
    """
    queries, keys = SIDES_OF[kind]
    rows, columns = _places(change, queries, len(before.queries(kind))), _places(change, keys, len(before.keys(kind)))
    if rows is None or columns is None:
        return {}
    allowed = before.allowed.get(kind)
    found = {}
    for layer, (was, now) in enumerate(zip(before.layers(kind), after.layers(kind), strict=True)):
        by_place = was[:, rows][:, :, columns]
        if allowed is not None:
            by_place = np.where(allowed, by_place, 0)
        total = by_place.sum(-1, keepdims=True)
        by_place = np.divide(by_place, total, out=np.zeros_like(by_place), where=total > 0)
        telling = (total[..., 0] > 0) & (_apart(by_place, was) >= LEAST)
        words, places = ((_apart(now, each) * telling).sum(-1) for each in (was, by_place))
        for head, (word, place) in enumerate(zip(words.tolist(), places.tolist(), strict=True)):
            if word + place > 0:
                found[Head(kind, layer, head)] = (word - place) / (word + place)
    return found


def _apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Total variation distance of every row."""
    return np.abs(one - other).sum(-1) / 2


def _places(change: Elsewhere, side: Side, count: int) -> np.ndarray | None:
    """Where each token of a side now stands; None: not each at a place where one stood."""
    own = np.arange(count)
    if side not in change.sides:
        return own
    places = change.place(torch.arange(count)).numpy()
    return places if np.array_equal(np.sort(places), own) else None
