"""The strongest links of a map."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.records.links import strongest


def test_the_fewest_that_make_up_the_share():
    weights = np.array([[0.1, 0.6, 0.3], [0.4, 0.3, 0.3], [0, 0, 0], [0.7, 0.2, 0.1], [0.25, 0.5, 0.25]], np.float32)
    assert strongest(weights, 0.7).astype(int).tolist() == [[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 1, 0]]
    assert strongest(weights, 1.0).sum() == 12


@given(st.integers(1, 30), st.integers(1, 30), st.floats(0.05, 0.95), st.integers(0, 9))
def test_no_link_can_be_spared(queries, keys, share, seed):
    weights = np.random.default_rng(seed).dirichlet(np.full(keys, 0.3), size=queries)
    found = strongest(weights, share)
    kept = np.where(found, weights, 0)
    assert (kept.sum(-1) >= share - 1e-6).all()
    weakest = np.where(found, weights, np.inf).min(-1)
    assert (kept.sum(-1) - weakest < share + 1e-6).all()
    assert (np.where(found, 0, weights).max(-1) <= weakest).all()
