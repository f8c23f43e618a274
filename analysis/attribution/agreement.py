"""How far methods agree: Kendall's tau and the overlap of their largest, over the tokens of each target row.

`T` target rows, `M` methods.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.attribution.attribution import Attribution
from headscope.analysis.attribution.faithfulness import Scores, scores_of
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.sites import Side

if TYPE_CHECKING:
    from pandas import DataFrame

TOP = 3
"""Largest tokens that are compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Agreement(Table):
    """Of every two methods on one sentence: means over the target rows that have two tokens or more to order."""

    methods: tuple[str, ...]
    side: Side
    tau: np.ndarray
    """[M, M]: Kendall's tau-b, from −1 to 1; NaN where no row tells."""
    overlap: np.ndarray
    """[M, M]: share of the `top` largest tokens of one that are among those of the other; chance is `expected`."""
    top: int
    expected: float
    """Of two random orders; NaN where no row has more than `top` tokens, for then the overlap says nothing."""

    def to_pandas(self) -> "DataFrame":
        """One row a pair of methods: method, other, tau, overlap."""
        import pandas as pd

        one, two = np.triu_indices(len(self.methods), 1)
        names = [self.methods[index] for index in one], [self.methods[index] for index in two]
        return pd.DataFrame(
            {"method": names[0], "other": names[1], "tau": self.tau[one, two], "overlap": self.overlap[one, two]}
        )


def agreement(found: Sequence[Attribution], *, side: Side = "source", top: int = TOP) -> Agreement:
    """Between attributions of one sentence pair, by different methods.

    Args:
        top: largest tokens that are compared; rows that have no more than these are left out of the overlap.

    Raises:
        HeadscopeError: they are not of one sentence pair, or `top` is less than 1.
    """
    first = found[0]
    if any((each.source, each.reads, each.predicts) != (first.source, first.reads, first.predicts) for each in found):
        raise HeadscopeError("attributions of different sentences cannot agree: give those of one sentence pair")
    return agreement_of({each.settings.method: scores_of(each, side) for each in found}, side=side, top=top)


def agreement_of(scores: Mapping[str, Scores], *, side: Side = "source", top: int = TOP) -> Agreement:
    """The same of scores, whatever they come from.

    Raises:
        HeadscopeError: `top` is less than 1.
    """
    if top < 1:
        raise HeadscopeError(f"the {top} largest tokens are none: choose 1 or more")
    methods = tuple(scores)
    tau, overlap = (np.full((len(methods), len(methods)), np.nan) for _ in range(2))
    lengths = _lengths(next(iter(scores.values())), side)
    long = [length for length in lengths if length > top]
    for one, first in enumerate(methods):
        for two, second in enumerate(methods):
            rows = [(scores[first][row, :n], scores[second][row, :n]) for row, n in enumerate(lengths)]
            tau[one, two] = _mean([kendall_tau(*both) for both in rows])
            overlap[one, two] = _mean([top_overlap(*both, top) for both in rows if len(both[0]) > top])
    return Agreement(methods, side, tau, overlap, top, _mean([top / length for length in long]))


def kendall_tau(one: np.ndarray, two: np.ndarray) -> float:
    """Tau-b (Kendall 1945), which allows for ties; NaN where either has but one value."""
    above, below = np.triu_indices(len(one), 1)
    first, second = (np.sign(given[above] - given[below]) for given in (one, two))
    untied = np.sqrt(float((first != 0).sum()) * float((second != 0).sum()))
    return float((first * second).sum() / untied) if untied else float("nan")


def top_overlap(one: np.ndarray, two: np.ndarray, top: int) -> float:
    """Share of the largest tokens of one that are among the largest of the other; of equals, the first."""
    first, second = (set(np.argsort(-given, kind="stable")[:top].tolist()) for given in (one, two))
    return len(first & second) / top


def _lengths(scores: Scores, side: Side) -> list[int]:
    rows, columns = scores.shape
    return [columns] * rows if side == "source" else [min(row + 1, columns) for row in range(rows)]


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")
