"""The links of a map that matter: of every row the strongest ones. No torch here.

`Q` queries, `K` keys.
"""

import numpy as np

SHARE = 0.7
"""Share of a row that is drawn as lines, unless said otherwise."""


def strongest(weights: np.ndarray, share: float = SHARE) -> np.ndarray:
    """[Q, K] of truth: in each row the fewest keys that together make up a share of its total, the first of equals.

    A row that sums to 0 has none.
    """
    order = np.argsort(-weights, axis=-1, kind="stable")
    ranked = np.take_along_axis(weights.astype(float), order, axis=-1)
    before = np.cumsum(ranked, axis=-1) - ranked
    # A hair less than the share, so that 0.7 is reached by 0.4 and 0.3, whatever their float32 sum is.
    wanted = (before < share * ranked.sum(-1, keepdims=True) - 1e-6) & (ranked > 0)
    found = np.zeros(weights.shape, dtype=bool)
    np.put_along_axis(found, order, wanted, axis=-1)
    return found
