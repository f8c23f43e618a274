"""The chart of a grid of ablations: differences to the base row, seeds as points, and the paper's differences."""

from collections.abc import Sequence

import numpy as np

from headscope.analysis.experiments.differences import MEASURES, Measure, RowSummary
from headscope.app.wire.chart import Axis, Chart, Series

BESIDE = 0.12
"""Between the marks of a row."""
PAPER = "the paper's, on its own development set"


def differences_chart(rows: Sequence[RowSummary], measure: Measure) -> Chart:
    """A place a row that has a difference; rows that carry a warning are left out, for their figures mean nothing."""
    shown = [each for each in rows if measure in each.differences and not each.row.warning]
    places = np.arange(len(shown), dtype=float)
    found = [each.differences[measure] for each in shown]
    spread = np.array([each.interval or 0.0 for each in found])
    counted = "± 95 % over seeds" if any(each.interval is not None for each in found) else "one seed"
    series = [Series(f"difference, {counted}", places, np.array([each.value for each in found]), spread, joined=False)]
    seeds = [
        (place - BESIDE, value)
        for place, each in zip(places, found, strict=True)
        for value in each.by_seed
        if len(each.by_seed) > 1
    ]
    if seeds:
        series.append(Series("seeds", *np.array(seeds).T, joined=False))
    papers = [
        (place + BESIDE, value)
        for place, each in zip(places, shown, strict=True)
        if (value := paper_difference(each, measure)) is not None
    ]
    if papers:
        series.append(Series(PAPER, *np.array(papers).T, joined=False))
    ends = np.array([-0.5, max(len(shown) - 0.5, 0.5)])
    series.append(Series("base row", ends, np.zeros(2)))
    # Names stand aslant below their places, so the last one needs room on its right.
    axis = Axis(
        "", names=tuple(each.row.what for each in shown), span=(float(ends[0]), float(ends[1]) + 0.15 * len(shown))
    )
    return Chart(
        f"Difference to the base row: {MEASURES[measure]}", axis, Axis(MEASURES[measure]), series=tuple(series)
    )


def paper_difference(row: RowSummary, measure: Measure) -> float | None:
    """What the paper's row of the same kind differs from its base by; None: it has none, or no such figure."""
    paper = row.row.paper
    if paper is None or measure.endswith("chrf"):
        return None
    return paper.nats if measure == "dev_nll" else paper.bleu_difference
