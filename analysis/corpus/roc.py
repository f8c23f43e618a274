"""How well a score tells two classes apart: the ROC curve, the area under it, and its interval. No torch here.

`n` items, `g` groups of items that were drawn together.
"""

from dataclasses import dataclass

import numpy as np

from headscope.model.errors import HeadscopeError

RESAMPLES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Roc:
    """A curve from (0, 0) to (1, 1), a point a threshold; an item is called positive where its score is at least it."""

    false_positive: np.ndarray
    """Rate, rising."""
    true_positive: np.ndarray
    area: float
    """Probability that a positive item has a higher score than a negative one, ties counted half."""
    low: float
    """Of the 95 % interval of the area, by bootstrap over groups."""
    high: float
    positives: int
    negatives: int


def roc(scores: np.ndarray, positive: np.ndarray, groups: np.ndarray | None = None, *, seed: int = 0) -> Roc:
    """The curve of some scores [n], of which some are of positive items.

    Args:
        groups: [n], which items were drawn together, as pieces of one sentence; none: every item by itself.

    Raises:
        HeadscopeError: all items are positive, or none is.
    """
    positive = np.asarray(positive, bool)
    if positive.all() or not positive.any():
        raise HeadscopeError(f"of {len(positive):,} items {int(positive.sum()):,} are positive: give some of either")
    order = np.argsort(-np.asarray(scores, float), kind="stable")
    scores, positive = np.asarray(scores, float)[order], positive[order]
    groups = np.arange(len(order)) if groups is None else np.asarray(groups)
    _, groups = np.unique(groups[order], return_inverse=True)
    ties = np.flatnonzero(np.r_[True, np.diff(scores) != 0])

    def rates(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = []
        for of in (~positive, positive):
            passed = np.r_[0.0, np.cumsum(np.add.reduceat(weights * of, ties))]
            found.append(passed / passed[-1] if passed[-1] else np.full_like(passed, np.nan))
        return found[0], found[1]

    chance, count = np.random.default_rng(seed), int(groups.max()) + 1
    drawn = (np.bincount(chance.integers(count, size=count), minlength=count) for _ in range(RESAMPLES))
    areas = np.array([np.trapezoid(true, false) for false, true in (rates(each[groups]) for each in drawn)])
    false, true = rates(np.ones(len(order)))
    low, high = np.nanpercentile(areas, (2.5, 97.5)).tolist()
    return Roc(false, true, float(np.trapezoid(true, false)), low, high, int(positive.sum()), int((~positive).sum()))
