"""Which heads look where a head looks, in one sentence. No torch here.

`Q` queries, `K` keys.
"""

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head


def likeness(maps: AttentionMaps, head: Head) -> dict[Head, float]:
    """Of every other head that looks at the same tokens, the share of attention that falls where this one's falls.

    It is Σ_k min(a_k, b_k), from 0 to 1: 1 minus the total variation distance of two distributions over keys. Heads of
    the same kind are compared row by row, and it is the mean over rows. Heads of another kind have other rows; those
    with the same keys are compared by how much each key is looked at by all rows together.

    Args:
        maps: weights, with rows that sum to 1.
    """
    own = maps.layers(head.kind)[head.layer][head.head]
    keys = maps.keys(head.kind)
    found = {}
    for kind in maps.maps:
        if maps.keys(kind) != keys:
            continue
        for layer, array in enumerate(maps.layers(kind)):
            shared = _shared(array, own) if kind == head.kind else _shared(array.mean(1), own.mean(0))
            found |= {Head(kind, layer, at): value for at, value in enumerate(shared.tolist())}
    del found[head]
    return found


def _shared(many: np.ndarray, one: np.ndarray) -> np.ndarray:
    """Of each of several, [H, Q, K] or [H, K], what it shares with one."""
    shared = np.minimum(many, one).sum(-1, dtype=float)
    return shared.reshape(len(many), -1).mean(-1)
