"""Intervals of means over sentences."""

from collections.abc import Sequence

import numpy as np

RESAMPLES = 1000
LOW, HIGH = 2.5, 97.5
"""Percentiles between which 95 % of the resamples lie."""


def by_source(values: np.ndarray, sources: Sequence[str]) -> np.ndarray:
    """[distinct sources, …]: means over the sentences of each source, for those are no independent samples."""
    places = {source: at for at, source in enumerate(dict.fromkeys(sources))}
    rows = np.array([places[source] for source in sources])
    return np.array([values[rows == at].mean(0) for at in range(len(places))])


def resampled_means(values: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """[3, …]: the mean over the first axis, and the ends of its 95 % interval by bootstrap."""
    chosen = np.random.default_rng(seed).integers(len(values), size=(RESAMPLES, len(values)))
    means = np.array([values[some].mean(0) for some in chosen])
    return np.stack([values.mean(0), *np.percentile(means, (LOW, HIGH), axis=0)])
