"""What became of attention: two records of the same tokens, subtracted. No torch here."""

from dataclasses import replace

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.model.errors import HeadscopeError


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
