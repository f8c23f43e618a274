"""Charts as files: their numbers as JSON and CSV, and figures for print. What pages draw and what is saved is the same
record; no browser is needed."""

import csv
import io
import json
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from headscope.analysis.positions.regions import Region
from headscope.app.export.fonts import complaint, families, spelt
from headscope.app.export.paper import FIGURES, Form, colours, head_colours, printed
from headscope.app.wire.chart import PLACE, Chart, runs
from headscope.model.progress import Progress, Silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DRAWN_AT_ONCE = 1
"""Of charts a figure takes about half a second."""
WIDTH, HEIGHT = 3.35, 3.0
"""Inches: a chart is as wide as a column of text (85 mm)."""
HATCHES: Mapping[Region, str] = {"trained": "", "rare": "////", "never": "..", "impossible": "xx", "unknown": "--"}
SHADES: Mapping[Region, str] = {region: "#7C8094" if region == "trained" else "white" for region in HATCHES}
NAMES: Mapping[Region, str] = {"rare": "rarely trained", "never": "never trained", "unknown": "not recorded"}


@dataclass(frozen=True, slots=True, eq=False)
class Charts:
    """What is to be written."""

    charts: Sequence[Chart]
    caption: str
    """What the reader must know: view, checkpoints, settings."""

    def takes_long(self, form: str) -> bool:
        """Whether whoever waits for it should see how far it is."""
        return form in FIGURES and len(self.charts) > DRAWN_AT_ONCE


def as_json(wanted: Charts, *, progress: Progress | None = None) -> bytes:
    """Every chart with its axes and all numbers; what is no number is null."""
    charts = []
    for done, chart in enumerate(wanted.charts):
        (progress or Silent()).update(done, len(wanted.charts))
        charts.append(_plain(asdict(chart)))
    content = {"caption": wanted.caption, "charts": charts}
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def as_csv(wanted: Charts, *, progress: Progress | None = None) -> bytes:
    """A number a row: the chart, its line (none in a map), where it stands on both axes, the number, its spread."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["chart", "line", "x", "y", "value", "spread"])
    for done, chart in enumerate(wanted.charts):
        (progress or Silent()).update(done, len(wanted.charts))
        if chart.grid:
            left, top = chart.grid.first
            for (row, column), value in np.ndenumerate(chart.grid.values):
                rows.writerow([chart.title, "", f"{column + left:g}", f"{row + top:g}", _short(value), ""])
        for series in chart.series:
            spread = [None] * len(series.x) if series.spread is None else series.spread
            for x, y, more in zip(series.x, series.y, spread, strict=True):
                rows.writerow(
                    [chart.title, series.name, _short(x), "", _short(y), "" if more is None else _short(more)]
                )
    return text.getvalue().encode()


def figure(wanted: Charts, form: Form, *, progress: Progress | None = None) -> bytes:
    """The charts side by side; `progress` is told how many are drawn."""
    return printed(partial(draw, wanted), form, progress)


FORMS: Mapping[str, Callable[..., bytes]] = {
    "csv": as_csv,
    "json": as_json,
    "svg": partial(figure, form="svg"),
    "png": partial(figure, form="png"),
    "pdf": partial(figure, form="pdf"),
}
"""What can be written, by the ending of the file's name."""


def draw(wanted: Charts) -> "Figure":
    """The figure: white, with the margin of every chart below it. Letters that no font has are written as codes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    names = "".join("".join(chart.x.names + chart.y.names) for chart in wanted.charts)
    fonts, missing = families(wanted.caption + names)
    with rc_context({"hatch.linewidth": 0.4, "axes.linewidth": 0.4, "font.size": 7}):
        count = len(wanted.charts)
        drawn = Figure(figsize=(WIDTH * count, HEIGHT), layout="constrained")
        columns = drawn.subfigures(1, count, squeeze=False)[0]
        for place, chart in zip(columns, wanted.charts, strict=True):
            if chart.margin is None:
                axes = place.subplots()
            else:
                axes, below = place.subplots(2, 1, height_ratios=[8, 1], sharex=chart.margin.shared)
                _margin(below, chart)
            _chart(axes, chart, fonts, missing)
        note = complaint(missing)
        lines = [spelt(wanted.caption, missing)] + ([f"{note[0].upper()}{note[1:]}."] if note else [])
        wrapped = "\n".join(textwrap.fill(line, int(WIDTH * count / 0.06)) for line in lines)
        drawn.supxlabel(wrapped, fontsize=6, family=fonts, x=0.02, ha="left", parse_math=False)
    return drawn


def _chart(axes: "Axes", chart: Chart, fonts: list[str], missing: set[str]) -> None:
    lines = head_colours()
    axes.set_title(spelt(chart.title, missing), fontsize=7, family=fonts, parse_math=False)
    if chart.grid:
        grid, (left, top) = chart.grid, chart.grid.first
        rows, columns = grid.values.shape
        image = axes.imshow(
            grid.values,
            cmap=colours("difference" if grid.signed else "weight"),
            vmin=-grid.most if grid.signed else 0,
            vmax=grid.most,
            extent=(left - 0.5, left + columns - 0.5, top + rows - 0.5, top - 0.5),
            aspect="auto",
            interpolation="nearest",
        )
        if not chart.y.down:
            axes.invert_yaxis()
        bar = axes.figure.colorbar(image, ax=axes, aspect=30, pad=0.02)
        bar.set_label(grid.what, fontsize=6)
        bar.ax.tick_params(labelsize=6, length=2)
    for number, series in enumerate(sorted(chart.series, key=lambda each: each.faint)):
        style = ("-", "--", ":", "-.")[number % 4] if series.joined else ""
        mark = "osD^vP"[number % 6] if len(series.x) <= 40 else ""
        if series.faint:
            axes.plot(series.x, series.y, "-", color="#C5C8D4", linewidth=0.4, label=series.name, zorder=0)
        elif series.regions:
            axes.plot(series.x, series.y, style, color="#9EA2B6", linewidth=0.5)
            for region in dict.fromkeys(series.regions):
                places = [place for place, each in enumerate(series.regions) if each == region]
                face: dict[str, Any] = {
                    "facecolors": lines[0] if region == "trained" else "none",
                    "edgecolors": lines[0],
                }
                cross: dict[str, Any] = {"marker": "x", "color": lines[0]}
                look = cross if region in ("never", "impossible") else face
                name = NAMES.get(region, region)
                axes.scatter(series.x[places], series.y[places], s=8, linewidths=0.5, label=name, **look)
        else:
            axes.errorbar(
                series.x,
                series.y,
                series.spread,
                fmt=f"{mark}{style}",
                label=series.name,
                color=lines[number % len(lines)],
                linewidth=0.8,
                markersize=2,
                elinewidth=0.4,
            )
    if chart.series:
        axes.legend(fontsize=5, frameon=False)
    for name, axis in (("x", chart.x), ("y", chart.y)):
        if name == "y" or chart.margin is None or not chart.margin.shared:  # else it stands below the margin
            getattr(axes, f"set_{name}label")(axis.title, fontsize=6)
        if axis.log:
            getattr(axes, f"set_{name}scale")("log")
        if axis.span and not chart.grid:
            getattr(axes, f"set_{name}lim")(*axis.span)
        if axis.names:
            texts = [spelt(text, missing) for text in axis.names]
            turned = {"rotation": 90} if name == "x" else {}
            style = {"fontsize": 6, "family": fonts, "parse_math": False} | turned
            getattr(axes, f"set_{name}ticks")(range(len(texts)), texts, **style)
    axes.tick_params(labelsize=6, length=2)


def _margin(axes: "Axes", chart: Chart) -> None:
    assert chart.margin is not None
    named = set()
    for row, (_, regions) in enumerate(chart.margin.lanes):
        for region, first, count in runs(regions):
            axes.broken_barh(
                [(first - 0.5, count)],
                (row - 0.4, 0.8),
                facecolor=SHADES[region],
                edgecolor="#7C8094",
                linewidth=0.3,
                hatch=HATCHES[region],
                label=None if region in named else NAMES.get(region, region),
            )
            named.add(region)
    axes.set_yticks(range(len(chart.margin.lanes)), [side for side, _ in chart.margin.lanes], fontsize=6)
    axes.invert_yaxis()
    axes.set_xlabel(PLACE, fontsize=6)
    axes.tick_params(labelsize=6, length=2)
    if chart.margin.shared and chart.x.names:
        axes.tick_params("x", rotation=90)
    axes.legend(fontsize=5, frameon=False, ncols=4, loc="lower right", bbox_to_anchor=(1, 0.95), borderaxespad=0)


def _short(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.6g}"


def _plain(value: Any) -> Any:
    """Arrays as lists, and what is not finite as null."""
    if isinstance(value, np.ndarray):
        return _plain(value.round(7).tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
