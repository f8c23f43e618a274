"""What was measured of runs while they trained, as curves: of one run, or of several on the same axes.

`N` rows of a run, at most `MOST_POINTS` points of a curve.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from headscope.app.wire.chart import Axis, Chart, Series

MOST_POINTS = 500
UPDATES = Axis("updates")
SPIKE = 5.0
"""A gradient so many times as long as the median of those before is named."""
BEFORE = 20
"""Rows that such a median is taken over, and as many have to be there."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Curves:
    """A chart of runs: what is drawn of their rows."""

    title: str
    unit: str
    fields: tuple[tuple[str, str, str], ...]
    """Kind of row, field, and what it is called beside the run."""
    log: bool = False
    scale: float = 1.0


MAIN = (
    Curves(
        "Loss: without label smoothing",
        "nats a piece",
        (("update", "nll", "training"), ("validation", "nll", "development")),
    ),
    Curves(
        "Translations of development lines",
        "BLEU, chrF",
        (("validation", "bleu", "BLEU"), ("validation", "chrf", "chrF")),
    ),
)
MORE = (
    Curves("Learning rate", "rate", (("update", "learning_rate", ""),)),
    Curves("Gradient norm, before clipping", "norm", (("update", "gradient_norm", ""),), log=True),
    Curves("Speed", "target pieces a second", (("update", "tokens_per_second", ""),)),
    Curves("Padding", "% of all places", (("update", "padding", ""),), scale=100.0),
    Curves("Memory at most", "GiB", (("update", "memory", ""),), scale=2.0**-30),
)


def charts(curves: Sequence[Curves], runs: Mapping[str, Sequence[Row]]) -> list[Chart]:
    """The charts that have anything to show. An earlier version's rows lack some fields.

    Args:
        runs: rows by the run's name.
    """
    found = []
    for each in curves:
        series = [
            _series(
                f"{name}: {what}".removesuffix(": ") if len(runs) > 1 or not what else what, rows, kind, field, each
            )
            for name, rows in runs.items()
            for kind, field, what in each.fields
        ]
        drawn = tuple(line for line in series if len(line.x))
        if drawn:
            found.append(Chart(each.title, UPDATES, Axis(each.unit, log=each.log), series=drawn))
    return found


def _series(name: str, rows: Sequence[Row], kind: str, field: str, curves: Curves) -> Series:
    points = [(row["step"], row[field]) for row in rows if row.get("kind") == kind and row.get(field) is not None]
    x, y = (np.array([point[axis] for point in points], dtype=float) for axis in (0, 1))
    x, y = thinned(x, y * curves.scale)
    return Series(name, x, y)


def thinned(x: np.ndarray, y: np.ndarray, most: int = MOST_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """At most so many points: means over runs of neighbours that are equally many, each at its last update."""
    if len(x) <= most:
        return x, y
    ends = np.linspace(0, len(x), most + 1).round().astype(int)
    means = np.add.reduceat(y, ends[:-1]) / np.diff(ends)
    return x[ends[1:] - 1], means


def spikes(rows: Sequence[Row]) -> list[tuple[int, float, float]]:
    """Updates whose gradient was far longer than those before: update, its norm, and how many times the median."""
    updates = [row for row in rows if row.get("kind") == "update" and row.get("gradient_peak") is not None]
    if len(updates) <= BEFORE:
        return []
    norms, peaks = (np.array([row[name] for row in updates]) for name in ("gradient_norm", "gradient_peak"))
    usual = np.median(sliding_window_view(norms, BEFORE)[:-1], axis=1)
    later = peaks[BEFORE:]
    places = np.flatnonzero((usual > 0) & (later > SPIKE * usual))
    return [
        (updates[BEFORE + place]["gradient_peak_step"], float(later[place]), float(later[place] / usual[place]))
        for place in places
    ]


def last(rows: Sequence[Row], kind: str) -> Row | None:
    """The newest row of a kind; None: there is none."""
    return next((row for row in reversed(rows) if row.get("kind") == kind), None)


def remaining(rows: Sequence[Row], step: int, steps: int, now: Callable[[], float]) -> float | None:
    """Seconds that the updates which are left will take, validation included, as fast as the last ones; None: unknown.

    Args:
        now: seconds since 1970.
    """
    updates = [row for row in rows if row.get("kind") == "update" and "time" in row][-BEFORE:]
    if len(updates) < 2 or step >= steps:
        return None
    first = updates[0]
    done = updates[-1]["step"] - first["step"]
    taken = updates[-1]["time"] - first["time"]
    if done <= 0 or taken <= 0:
        return None
    left = (steps - updates[-1]["step"]) * taken / done - max(0.0, now() - updates[-1]["time"])
    return max(0.0, left)


def duration(seconds: float) -> str:
    """A time in words, in the two largest units."""
    whole = round(seconds)
    units = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    first = next((place for place, (count, _) in enumerate(units) if count), len(units) - 1)
    return " ".join(
        f"{count} {unit}" for count, unit in units[first : first + 2] if count or (unit == "s" and first == 3)
    )
