"""Charts as files."""

import csv
import io
import json

import numpy as np
import pytest

from headscope.app.export.chart import FORMS, Charts, as_csv, as_json, draw
from headscope.app.wire.chart import Axis, Chart, Grid, Margin, Series

GRID = Chart(
    "map, of a",
    Axis("key", names=("$x", "x")),
    Axis("query", names=("a", "猫"), down=True),
    Grid(np.array([[1.5, np.nan], [-2.0, 0.0]]), "score", 2.0, first=(3.0, 0.0)),
    margin=Margin((("source", ("trained", "never")), ("target", ("rare", "impossible"))), shared=True),
)
PLACES = Series("places", np.arange(2.0), np.arange(2.0), regions=("trained", "never"))
LINES = Chart(
    "lines",
    Axis("k"),
    Axis("error", span=(0.1, 9.0), log=True),
    series=(Series("this", np.array([1, 2]), np.array([0.5, np.nan]), np.array([0.1, 0.2])), PLACES),
    margin=Margin((("source", ("unknown",)),), shared=False),
)
WANTED = Charts([GRID, LINES], "Of $two$ checkpoints.")


def test_numbers_as_json():
    content = json.loads(as_json(WANTED))
    assert content["caption"] == "Of $two$ checkpoints."
    first, second = content["charts"]
    assert first["grid"]["values"] == [[1.5, None], [-2.0, 0.0]]
    assert first["margin"]["lanes"][0] == ["source", ["trained", "never"]]
    assert second["series"][0]["y"] == [0.5, None]
    assert second["series"][0]["x"] == [1, 2]


def test_numbers_as_csv():
    rows = list(csv.reader(io.StringIO(as_csv(WANTED).decode())))
    assert rows[0] == ["chart", "line", "x", "y", "value", "spread"]
    assert rows[1:5] == [
        ["map, of a", "", "3", "0", "1.5", ""],
        ["map, of a", "", "4", "0", "", ""],
        ["map, of a", "", "3", "1", "-2", ""],
        ["map, of a", "", "4", "1", "0", ""],
    ]
    assert rows[5] == ["lines", "this", "1", "", "0.5", "0.1"]
    assert rows[6] == ["lines", "this", "2", "", "", "0.2"]


@pytest.mark.parametrize(("form", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_figures(form, start):
    file = FORMS[form](WANTED)
    assert file.startswith(start)
    assert FORMS[form](WANTED) == file, "no date is in it"


def test_the_figure_shows_grid_lines_and_margins():
    drawn = draw(WANTED)
    left, right = drawn.subfigs
    assert left.axes[0].images[0].get_clim() == (-2, 2)
    assert [text.get_text() for text in left.axes[1].get_yticklabels()] == ["source", "target"]
    assert right.axes[0].get_yscale() == "log"
    assert right.axes[0].get_xlabel() == "k"
    assert left.axes[0].get_xlabel() == "", "it stands below the margin"


def test_what_is_faint_lies_behind():
    faint, own = Series("others", np.arange(3), np.arange(3), faint=True), Series("one", np.arange(3), np.arange(3))
    figure = draw(Charts([Chart("c", Axis("x"), Axis("y"), series=(own, faint))], "a caption"))
    lines = {line.get_label(): line for line in figure.subfigs[0].axes[0].lines}
    assert lines["others"].get_zorder() < min(line.get_zorder() for name, line in lines.items() if name != "others")


def test_a_figure_of_several_charts_takes_long():
    several, one = WANTED, Charts([GRID], "")
    assert {form for form in FORMS if several.takes_long(form)} == {"svg", "png", "pdf"}
    assert not any(one.takes_long(form) for form in FORMS)
