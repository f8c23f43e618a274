"""Where a translation is decided: the query that is worth looking into first."""

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.model.sites import AttentionKind


def least_sure(maps: AttentionMaps) -> int:
    """The row that predicts the token with the smallest log-probability, where the model was least sure."""
    return int(np.argmin(maps.log_probs))


def deciding_query(maps: AttentionMaps, kind: AttentionKind) -> int:
    """The query of a kind of attention that is opened first.

    That of the token the model was least sure of; in the encoder that of the source token, no special one, which
    cross-attention looks at most there, on the mean over all heads. Without cross-attention it is the first.
    """
    row = least_sure(maps)
    if kind != "encoder":
        return row
    if not maps.cross:
        return 0
    heads = np.concatenate([layer[:, row] for layer in maps.cross])
    special = [token.special for token in maps.source.tokens]
    return int(np.argmax(np.where(special, -np.inf, heads.mean(0))))
