"""Curves of measures of heads over training."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.heads import Head
from headscope.app.wire.chart import Axis, Chart, Series

if TYPE_CHECKING:
    from headscope.analysis.measures.history import History

ZERO = 0.5
"""Where step 0 is drawn, for a logarithmic axis has no 0."""
AXIS = Axis("update (logarithmic; step 0 at ½)", log=True)


def measure_curves(history: "History", head: Head, measures: Sequence[tuple[str, str]]) -> tuple[Chart, ...]:
    """A chart a measure: this head, and behind it all other heads of its kind.

    Args:
        measures: each by its name in the history, and as it is called.
    """
    from headscope.analysis.measures.course import curves, steps

    x = np.maximum(np.array(steps(history), dtype=float), ZERO)
    own = history.heads.index(head)
    others = [at for at, each in enumerate(history.heads) if each.kind == head.kind and at != own]
    charts = []
    for measure, name in measures:
        values = curves(history, measure)
        # One line with gaps: a browser draws that in a tenth of the time.
        gap = np.full((1, len(others)), np.nan)
        together = np.concatenate([values[:, others], gap]).T.ravel()
        behind = Series(f"the other {len(others)}", np.tile([*x, np.nan], len(others)), together, faint=True)
        shown = Series(f"head {head.layer + 1}.{head.head + 1}", x, values[:, own])
        charts.append(Chart(name, AXIS, Axis(name), series=(*([behind] if others else []), shown)))
    return tuple(charts)
