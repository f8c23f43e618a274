"""A chart: what a page draws with plotly and what a file holds are made of the same record.

`X` columns and `Y` rows of a grid, `N` points of a line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headscope.analysis.positions.regions import Region
from headscope.model.errors import HeadscopeError

PLACE = "position (from 0)"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis."""

    title: str
    span: tuple[float, float] | None = None
    """None: as far as the data go."""
    log: bool = False
    names: tuple[str, ...] = ()
    """Of 0, 1, 2 …; none: numbers."""
    down: bool = False
    """Runs downwards, as the rows of a matrix."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Points, joined or not."""

    name: str
    x: np.ndarray
    """[N]."""
    y: np.ndarray
    """[N]; NaN leaves a gap."""
    spread: np.ndarray | None = None
    """[N]: drawn on either side."""
    joined: bool = True
    regions: tuple[Region, ...] = ()
    """Of each point, where points stand for positions: every region has a mark of its own."""
    faint: bool = False
    """Thin and grey, behind the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A number in every cell, as a colour."""

    values: np.ndarray
    """[Y, X]; NaN is left blank."""
    what: str
    """What a number is, with its unit."""
    most: float
    """Where the colours end."""
    signed: bool = True
    """Colours run from −most to most, with 0 as the page's background; else from 0."""
    first: tuple[float, float] = (0.0, 0.0)
    """Column and row of the first cell, on the axes."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Along the positions: how often each was trained, on both sides."""

    lanes: tuple[tuple[str, tuple[Region, ...]], ...]
    """The side, and the region of every position from 0 on."""
    shared: bool
    """The chart's columns are these positions; else the margin has an axis of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A grid, or lines."""

    title: str
    x: Axis
    y: Axis
    grid: Grid | None = None
    series: tuple[Series, ...] = ()
    margin: Margin | None = None


def runs(regions: Sequence[Region]) -> list[tuple[Region, int, int]]:
    """Neighbours of one region as one: the region, its first position, and how many."""
    found: list[tuple[Region, int, int]] = []
    for place, region in enumerate(regions):
        if found and found[-1][0] == region:
            found[-1] = (region, found[-1][1], found[-1][2] + 1)
        else:
            found.append((region, place, 1))
    return found


def largest(*values: np.ndarray) -> float:
    """The largest size in some grids, for one scale of them all; 1 where all is 0."""
    found = max((float(np.nanmax(np.abs(each))) for each in values if np.isfinite(each).any()), default=0.0)
    return found or 1.0


def alike(charts: Sequence[Chart]) -> tuple[Chart, ...]:
    """Charts of the same thing with one scale: of the colours where they are grids, of the lines' height else."""
    grids = [chart.grid for chart in charts if chart.grid]
    if grids:
        most = max(grid.most for grid in grids)
        return tuple(replace(chart, grid=chart.grid and replace(chart.grid, most=most)) for chart in charts)
    scaled = charts
    for name in ("x", "y"):
        axes = [getattr(chart, name) for chart in charts]
        if not any(axis.span or axis.names for axis in axes):
            span = _span([ends for c in charts for s in c.series for ends in _ends(s, name)], axes[0].log)
            scaled = [replace(chart, **{name: replace(getattr(chart, name), span=span)}) for chart in scaled]
    return tuple(scaled)


def _ends(series: Series, name: str) -> tuple[np.ndarray, ...]:
    """What has to be seen of a line along an axis: its whiskers too, where they stand."""
    values = getattr(series, name)
    if name == "x" or series.spread is None:
        return (values,)
    return values, values - series.spread, values + series.spread


def _span(values: Sequence[np.ndarray], log: bool) -> tuple[float, float] | None:
    whole = np.concatenate([np.asarray(each, dtype=float) for each in values])
    whole = whole[np.isfinite(whole) & ((whole > 0) | (not log))]
    if not len(whole):
        return None
    low, high = float(whole.min()), float(whole.max())
    if log:
        return low / 1.2, high * 1.2
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room


def difference(chart: Chart, other: Chart) -> Chart:
    """The first grid less the second, on a scale of its own with 0 in its middle.

    Raises:
        HeadscopeError: they are no grids, or their rows and columns do not stand for the same.
    """
    one, two = chart.grid, other.grid
    if one is None or two is None:
        raise HeadscopeError("these are lines, not maps: compare them by eye, their scales are the same")
    if chart.x.names != other.x.names or chart.y.names != other.y.names:
        raise HeadscopeError("the two checkpoints cut the sentence into other pieces: the maps have no difference")
    if one.values.shape != two.values.shape:
        sizes = " and ".join("{} × {}".format(*grid.values.shape) for grid in (one, two))
        raise HeadscopeError(f"the maps are of different size, {sizes}: they have no difference")
    values = one.values - two.values
    grid = replace(one, values=values, what=f"difference of {one.what}", most=largest(values), signed=True)
    return replace(chart, title=f"{chart.title} less {other.title}", grid=grid)
