"""What a grid says: differences of its rows to the base row, with intervals over seeds. No torch here.

Rows of one seed see the same batches in the same order, so differences are taken within a seed, and the interval is
Student's t of these differences: it is about other seeds, on the same text and the same test set. From one seed there
is no interval.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from headscope.analysis.experiments.grids import BASE, ROWS, Row, grid
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    import pandas as pd

    from headscope.analysis.experiments.ablation import AblationResult

Measure = Literal["dev_nll", "dev bleu", "dev chrf", "test bleu", "test chrf"]
MEASURES: Mapping[Measure, str] = {
    "dev_nll": "development loss, nats a piece",
    "dev bleu": "development BLEU",
    "dev chrf": "development chrF",
    "test bleu": "test BLEU",
    "test chrf": "test chrF",
}
"""In words."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row minus the base row, over the seeds that both have."""

    value: float
    interval: float | None
    """Half the width of the 95 % interval over seeds; None: there is one seed."""
    by_seed: tuple[float, ...]

    @property
    def apart(self) -> bool | None:
        """Whether 0 lies outside the interval; None: there is one seed, from which nothing follows."""
        return None if self.interval is None else abs(self.value) > self.interval


@dataclass(frozen=True, slots=True)
class RowSummary:
    """A row of a grid, over its seeds."""

    row: Row
    seeds: tuple[int, ...]
    """That it has results of."""
    means: Mapping[Measure, float]
    """Over its seeds, what was measured."""
    differences: Mapping[Measure, Difference]
    """To the base row; empty for that row itself, and where no seed has both."""
    parameters: int | None
    flops: float | None
    """Of a training; mean over the seeds."""
    seconds: float | None
    tokens: float | None


def ablation_summary(results: Sequence["AblationResult"], name: str) -> tuple[RowSummary, ...]:
    """All rows of the grid of a name, the base first; one without results has neither means nor differences.

    Raises:
        HeadscopeError: there is no such grid, or the results are of different texts or of unequal budget.
    """
    rows = (ROWS[BASE], *grid(name).rows)
    of_rows = {row.name: sorted((r for r in results if r.row == row.name), key=lambda r: r.seed) for row in rows}
    _require_alike([result for found in of_rows.values() for result in found])
    base = {result.seed: result for result in of_rows[BASE]}
    return tuple(_row(row, of_rows[row.name], base) for row in rows)


def value_of(result: "AblationResult", measure: Measure) -> float | None:
    """One of the figures of a result; None: the data has no such part."""
    if measure == "dev_nll":
        return result.dev_nll
    part, what = measure.split(" ")
    found = result.score(part)
    return None if found is None else getattr(found, what)


def difference(values: Sequence[float]) -> Difference:
    """The mean of differences, one a seed, with the interval of a paired t test."""
    found = np.asarray(values, dtype=float)
    interval = None
    if len(found) > 1:
        interval = student_quantile(len(found) - 1) * float(found.std(ddof=1)) / math.sqrt(len(found))
    return Difference(float(found.mean()), interval, tuple(found.tolist()))


def student_quantile(degrees: int, level: float = 0.95) -> float:
    """Within which distance of 0 a share `level` of Student's t lies; for whole degrees of freedom, by bisection."""
    low, high = 0.0, 1e4
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < level else (low, middle)
    return high


def _within(t: float, degrees: int) -> float:
    """P(|T| < t): the finite sums for whole degrees of freedom (Abramowitz & Stegun 1964, chapter 26)."""
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = 0.0
    for power in range(1, degrees if odd else degrees + 1, 2):
        total += term
        term *= cosine**2 * ((power + 1) / (power + 2) if odd else power / (power + 1))
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def _row(row: Row, found: Sequence["AblationResult"], base: Mapping[int, "AblationResult"]) -> RowSummary:
    means, differences = {}, {}
    for measure in MEASURES:
        values = {r.seed: value for r in found if (value := value_of(r, measure)) is not None}
        if values:
            means[measure] = float(np.mean(list(values.values())))
        pairs = [
            value - other
            for seed, value in values.items()
            if seed in base and (other := value_of(base[seed], measure)) is not None
        ]
        if pairs and row.name != BASE:
            differences[measure] = difference(pairs)
    return RowSummary(
        row=row,
        seeds=tuple(result.seed for result in found),
        means=means,
        differences=differences,
        parameters=found[0].parameters if found else None,
        flops=float(np.mean([result.flops for result in found])) if found else None,
        seconds=float(np.mean([result.seconds for result in found])) if found else None,
        tokens=float(np.mean([result.tokens for result in found])) if found else None,
    )


def _require_alike(results: Sequence["AblationResult"]) -> None:
    for what, values in (
        ("training texts", {result.data["fingerprint"] for result in results}),
        ("numbers of updates", {result.updates for result in results}),
        ("sizes of updates", {result.recipe["batch_tokens"] for result in results}),
    ):
        if len(values) > 1:
            raise HeadscopeError(
                f"the results of the ablation are of different {what}: train all rows with the same data and settings"
            )


def table(rows: Sequence[RowSummary]) -> "pd.DataFrame":
    """By row of the grid: means, differences to the base with their intervals, cost, and the paper's differences."""
    import pandas as pd

    found = []
    for each in rows:
        fields: dict[str, object] = {"row": each.row.name, "what": each.row.what, "seeds": len(each.seeds)}
        for measure in MEASURES:
            name = measure.replace(" ", "_")
            fields[name] = each.means.get(measure)
            apart = each.differences.get(measure)
            fields[f"{name}_difference"] = apart and apart.value
            fields[f"{name}_interval"] = apart and apart.interval
        fields |= {"parameters": each.parameters, "flops": each.flops, "seconds": each.seconds, "tokens": each.tokens}
        paper = each.row.paper
        fields |= {
            "paper_dev_nll_difference": paper and paper.nats,
            "paper_dev_bleu_difference": paper and paper.bleu_difference,
            "warning": each.row.warning or None,
        }
        found.append(fields)
    return pd.DataFrame(found).dropna(axis="columns", how="all")
