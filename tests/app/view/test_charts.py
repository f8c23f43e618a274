"""Charts as plotly draws them."""

import tomllib
from importlib.resources import files

import numpy as np

from headscope.app.view.charts import COLOURS, PATTERNS, plotted, summary
from headscope.app.wire.chart import Axis, Chart, Grid, Margin, Series

MARGIN = Margin((("source", ("trained", "trained", "rare")), ("target", ("trained", "never", "never"))), shared=True)
LINES = Chart(
    "c",
    Axis("position"),
    Axis("norm", span=(1.0, 100.0), log=True),
    series=tuple(Series(name, np.arange(3), np.arange(3.0), spread=np.ones(3)) for name in ("a", "<b>")),
    margin=MARGIN,
)


def test_colours_are_the_themes():
    theme = tomllib.loads((files("headscope.app") / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    assert list(COLOURS) == theme["chartCategoricalColors"]


def test_lines_are_told_apart_without_colour():
    first, second = plotted(LINES).data[:2]
    assert first.line.dash != second.line.dash
    assert first.marker.symbol != second.marker.symbol
    assert second.name == "&lt;b&gt;"
    assert list(first.error_y.array) == [1, 1, 1]
    assert tuple(plotted(LINES).layout.yaxis.range) == (0, 2)


def test_what_is_faint_lies_behind_and_takes_no_colour():
    faint, own = Series("others", np.arange(3), np.arange(3), faint=True), Series("one", np.arange(3), np.arange(3))
    for order in ((faint, own), (own, faint)):
        behind, before = plotted(Chart("c", Axis("x"), Axis("y"), series=order)).data
        assert (behind.name, before.name) == ("others", "one")
        assert before.line.color == COLOURS[0] != behind.line.color
        assert behind.mode == "lines"


def test_the_margin_says_how_positions_were_trained():
    figure = plotted(LINES)
    bars = [(trace.name, trace.base[0], trace.x[0], trace.y[0]) for trace in figure.data if trace.type == "bar"]
    assert bars == [
        ("trained", -0.5, 2, 0),
        ("rarely trained", 1.5, 1, 0),
        ("trained", -0.5, 1, 1),
        ("never trained", 0.5, 2, 1),
    ]
    assert [trace.showlegend for trace in figure.data if trace.type == "bar"] == [True, True, False, True]
    assert len(set(PATTERNS.values())) == len(PATTERNS)
    assert figure.layout.yaxis2.ticktext == ("source", "target")
    assert figure.layout.xaxis.anchor == "y2"


def test_a_margin_of_its_own_axis():
    chart = Chart("c", Axis("distance"), Axis("y"), series=LINES.series, margin=Margin(MARGIN.lanes, shared=False))
    figure = plotted(chart)
    assert {trace.xaxis for trace in figure.data if trace.type == "bar"} == {"x2"}
    assert figure.layout.xaxis2.title.text == "position (from 0)"


def test_a_line_alone_has_its_name():
    assert plotted(Chart("c", Axis("x"), Axis("y"), series=LINES.series[:1])).layout.showlegend
    assert not plotted(Chart("c", Axis("x"), Axis("y"))).layout.showlegend


def test_points_that_are_positions_have_a_mark_for_each_region():
    points = Series("positions", np.arange(3.0), np.arange(3.0), regions=("trained", "rare", "trained"))
    figure = plotted(Chart("c", Axis("x"), Axis("y"), series=(points,)))
    marks = {trace.name: (trace.marker.symbol, list(trace.x)) for trace in figure.data if trace.mode == "markers+text"}
    assert marks == {"trained": ("circle", [0, 2]), "rarely trained": ("circle-open", [1])}
    assert figure.data[0].mode == "lines"


def test_what_is_said_to_who_does_not_see_it():
    assert summary(LINES) == "norm against position; 2 lines"
    assert "share, 1 rows (y) by 2 columns (x)" in summary(
        Chart("c", Axis("x"), Axis("y"), Grid(np.zeros((1, 2)), "share", 1.0))
    )
