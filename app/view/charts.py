"""Charts on the page, in the colours of the theme, light and dark: lines by plotly, maps by a component, for they are
large."""

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st

from headscope.analysis.positions.regions import REGION_NAMES, Region
from headscope.app.components.heat.heat import HEAT
from headscope.app.view.draw import draw
from headscope.app.wire.chart import PLACE, Axis, Chart, Margin, Series, runs
from headscope.app.wire.heat import heat

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

COLOURS = ("#6452CB", "#CC8305", "#01958F", "#BF3D85", "#2EA83E", "#0282CD", "#C23913", "#B969DB")
"""The theme's, which are the same on the light and on the dark page."""
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "square", "diamond", "x", "cross", "triangle-up")
"""Lines are told apart without their colour."""
HEIGHT = 380
"""Pixels."""
LARGE, LARGE_TYPE = 1.4, 18
INK = "#7C8094"
"""Of margins: 3:1 on the light and on the dark page."""
PATTERNS: dict[Region, str] = {"trained": "", "rare": "/", "never": ".", "impossible": "x", "unknown": "-"}
MARKS: dict[Region, str] = {
    "trained": "circle",
    "rare": "circle-open",
    "never": "x-thin-open",
    "impossible": "x-thin-open",
    "unknown": "diamond-open",
}
LOADED = "charts are loaded"
"""Key of the session's state: the browser has been asked for what draws lines."""
NOTHING = ({"type": "scatter"},)
"""A line without points."""
NAMED_EVERY = 16
"""Of positions on a plane, each of so many has its number beside it."""
MARGIN, OWN_MARGIN, BELOW_NAMES = 0.16, 0.34, 0.44
"""Share of a figure's height below the chart: for a margin along its columns, for one with its own axis, and for such a
one below names, which stand aslant where they are many."""


def draw_charts(charts: Sequence[Chart], *, key: str, large: bool = False) -> None:
    """Draw charts side by side where there is room, one below the other else; large for presenter mode."""
    with st.container(horizontal=True, key=f"charts-{key}"):
        for number, chart in enumerate(charts):
            with st.container():
                st.text(chart.title)
                alt = f"{chart.title}: {summary(chart)}"
                if chart.grid:
                    draw(HEAT, heat(chart, chart.grid, name=alt, large=large), key=f"chart-{key}-{number}")
                    continue
                figure = plotted(chart)
                if large:
                    size = {"size": LARGE_TYPE}
                    figure.update_layout(height=LARGE * HEIGHT, legend_font=size)
                    figure.update_xaxes(tickfont=size, title_font=size).update_yaxes(tickfont=size, title_font=size)
                draw_figure(figure, key=f"chart-{key}-{number}", alt=alt)


def draw_figure(figure: "Figure", *, key: str, alt: str) -> None:
    """Draw a figure as all are drawn."""
    st.plotly_chart(figure, key=key, config={"displayModeBar": False}, alt=alt)


def load_early() -> None:
    """Once a session, let the browser load what draws lines before anybody asks for any: the first chart would wait for
    it, a second or more."""
    if st.session_state.get(LOADED):
        return
    st.session_state[LOADED] = True
    nothing: dict[str, Any] = {"data": list(NOTHING)}
    with st.container(key="early"):  # page.css hides it
        st.plotly_chart(nothing, key="early-chart", config={"displayModeBar": False})


def summary(chart: Chart) -> str:
    """What a chart shows, for who does not see it."""
    if chart.grid:
        rows, columns = chart.grid.values.shape
        return f"{chart.grid.what}, {rows} rows ({chart.y.title}) by {columns} columns ({chart.x.title})"
    return f"{chart.y.title} against {chart.x.title}; {len(chart.series)} lines"


def plotted(chart: Chart) -> "Figure":
    """The figure of a chart of lines."""
    import plotly.graph_objects as go

    traces: list[dict[str, Any]] = []
    for number, series in enumerate(sorted(chart.series, key=lambda each: each.faint)):
        drawn = _line(series, number)
        traces = [*drawn, *traces] if series.faint else [*traces, *drawn]
    layout: dict[str, Any] = {
        "height": HEIGHT,
        "margin": {"t": 8, "b": 8, "l": 8, "r": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
        "xaxis": _axis(chart.x),
        "yaxis": _axis(chart.y),
        "barmode": "overlay",
        "showlegend": bool(chart.series or chart.margin),
    }
    if chart.margin:
        traces += _lanes(chart.margin)
        room = MARGIN if chart.margin.shared else BELOW_NAMES if chart.x.names else OWN_MARGIN
        layout["yaxis"] |= {"domain": [room, 1]}
        names = [side for side, _ in chart.margin.lanes]
        lanes = {"domain": [0, 0.1], "fixedrange": True, "range": [len(names) - 0.5, -0.5], "zeroline": False}
        lanes |= {"tickvals": list(range(len(names))), "ticktext": names, "ticklabelstandoff": 4}
        layout["yaxis2"] = lanes | {"anchor": "x" if chart.margin.shared else "x2", "showgrid": False}
        if chart.margin.shared:
            layout["xaxis"] |= {"anchor": "y2"}
        else:
            layout["xaxis2"] = {"anchor": "y2", "title": {"text": PLACE}, "showgrid": False, "zeroline": False}
    return go.Figure({"data": traces, "layout": layout})


def _axis(axis: Axis) -> dict[str, Any]:
    found: dict[str, Any] = {"title": {"text": axis.title}, "zeroline": False}
    if axis.log:
        found["type"] = "log"
    if axis.names:
        found |= {"tickvals": list(range(len(axis.names))), "ticktext": [escape(name) for name in axis.names]}
        found["tickfont"] = {"size": 11}
    if axis.span:
        low, high = (math.log10(end) for end in axis.span) if axis.log else axis.span
        found["range"] = [high, low] if axis.down else [low, high]
    elif axis.down:
        found["autorange"] = "reversed"
    return found


def _line(series: Series, number: int) -> list[dict[str, Any]]:
    """A line with its spread as whiskers; where points have regions, a trace a region with its own mark."""
    style: dict[str, Any] = {"type": "scatter", "name": escape(series.name)}
    if series.faint:
        line = {"line": {"width": 1, "color": INK}, "opacity": 0.35, "hoverinfo": "skip"}
        return [style | {"mode": "lines", "x": series.x, "y": series.y} | line]
    if not series.regions:
        few = len(series.x) <= 40
        style |= {"mode": "lines+markers" if few else "lines", "x": series.x, "y": series.y}
        style |= {"line": {"dash": DASHES[number % len(DASHES)], "color": COLOURS[number % len(COLOURS)]}}
        style |= {"marker": {"symbol": SYMBOLS[number % len(SYMBOLS)], "color": COLOURS[number % len(COLOURS)]}}
        if not series.joined:
            style["mode"] = "markers"
        if series.spread is not None:
            style["error_y"] = {"type": "data", "array": series.spread, "thickness": 1, "width": 0}
        return [style]
    found: list[dict[str, Any]] = []
    if series.joined:
        found.append(
            {"type": "scatter", "mode": "lines", "x": series.x, "y": series.y, "line": {"width": 1, "color": INK}}
            | {"showlegend": False, "hoverinfo": "skip"}
        )
    for region in dict.fromkeys(series.regions):
        places = [place for place, each in enumerate(series.regions) if each == region]
        found.append(
            style
            | {"mode": "markers+text", "name": REGION_NAMES[region], "legendgroup": region, "customdata": places}
            | {"x": series.x[places], "y": series.y[places], "textposition": "top center"}
            | {"text": ["" if place % NAMED_EVERY else str(place) for place in places]}
            | {"marker": {"symbol": MARKS[region], "size": 7, "color": COLOURS[0]}}
            | {"hovertemplate": "position %{customdata}<extra></extra>"}
        )
    return found


def _lanes(margin: Margin) -> list[dict[str, Any]]:
    """A bar for every run of positions of one region."""
    found, named = [], set()
    for row, (side, regions) in enumerate(margin.lanes):
        for region, first, count in runs(regions):
            found.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "y": [row],
                    "x": [count],
                    "base": [first - 0.5],
                    "yaxis": "y2",
                    "xaxis": "x" if margin.shared else "x2",
                    "name": REGION_NAMES[region],
                    "legendgroup": f"region {region}",
                    "showlegend": region not in named,
                    "marker": {
                        "color": INK,
                        "line": {"width": 1, "color": INK},
                        "pattern": {"shape": PATTERNS[region], "fillmode": "replace", "size": 6, "fgcolor": INK},
                    },
                    "hovertemplate": f"{side}: {first} to {first + count - 1} {REGION_NAMES[region]}<extra></extra>",
                }
            )
            named.add(region)
    return found
