"""A chart that is a map, for the browser."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from headscope.analysis.positions.regions import REGION_NAMES
from headscope.app.wire.chart import Axis, Chart, Grid, runs
from headscope.app.wire.encoding import halves

HEIGHT, LINE = 300, 16
"""Pixels: of a map, and of a row that has a name, for which a map grows."""
LARGE = 1.4


@dataclass(frozen=True, slots=True)
class HeatAxis:
    """One axis."""

    title: str
    first: float
    """What the first column or row is."""
    count: int
    names: tuple[str, ...]
    """Of the columns or rows; none: numbers."""
    down: bool
    """Runs downwards."""


@dataclass(frozen=True, slots=True)
class HeatRun:
    """Neighbouring positions of one region."""

    region: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class HeatLane:
    """How often each position was trained on one side."""

    name: str
    runs: tuple[HeatRun, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """What the component gets."""

    signature: str
    """Of the numbers."""
    name: str
    """For screen readers."""
    x: HeatAxis
    y: HeatAxis
    what: str
    """What a number is."""
    most: float
    """Where the colours end."""
    signed: bool
    """Colours run from −most."""
    values: str
    """Every number as a share of `most`, as `halves` takes them; no number where nothing is drawn."""
    lanes: tuple[HeatLane, ...]
    shared: bool
    """The columns are the positions of the lanes."""
    regions: dict[str, str]
    """What regions are called."""
    height: int
    large: bool


def heat(chart: Chart, grid: Grid, *, name: str, large: bool = False) -> Heat:
    """The message of a chart that has a grid.

    Args:
        name: what the chart shows, for who does not see it.
        large: for presenter mode.
    """
    rows, columns = grid.values.shape
    values = halves(np.clip(grid.values / grid.most, -1, 1))
    lanes = chart.margin.lanes if chart.margin else ()
    height = max(HEIGHT, LINE * len(chart.y.names))
    return Heat(
        signature=blake2b(values.encode(), digest_size=8).hexdigest() + f" {grid.most}",
        name=name,
        x=_axis(chart.x, grid.first[0], columns),
        y=_axis(chart.y, grid.first[1], rows),
        what=grid.what,
        most=float(grid.most),
        signed=grid.signed,
        values=values,
        lanes=tuple(HeatLane(side, tuple(HeatRun(*run) for run in runs(regions))) for side, regions in lanes),
        shared=bool(chart.margin and chart.margin.shared),
        regions={str(region): name for region, name in REGION_NAMES.items()},
        height=round(height * (LARGE if large else 1)),
        large=large,
    )


def _axis(axis: Axis, first: float, count: int) -> HeatAxis:
    return HeatAxis(axis.title, float(first), count, axis.names, axis.down)
