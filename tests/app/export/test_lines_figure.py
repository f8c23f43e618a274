"""The line view as a figure."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection

from headscope.analysis.records.heads import Head
from headscope.analysis.records.links import strongest
from headscope.app.export.lines_figure import MOST_LINES, draw_lines, lines_figure
from headscope.app.export.paper import FIGURES, WIDTHS, Look
from headscope.model.errors import HeadscopeError
from tests.app.export.test_figure import maps, texts

LOOK = Look("caption", "page")


def links(drawn) -> list[LineCollection]:
    return [part for axes in drawn.axes for part in axes.collections if isinstance(part, LineCollection)]


def test_lines_are_the_strongest_links_as_thick_as_their_weights():
    record = maps(*"abcde", heads=3)
    drawn = draw_lines(record, [Head("cross", 0, 0), Head("cross", 0, 2)], LOOK, 0.7)
    for found, head in zip(links(drawn), (0, 2), strict=True):
        weights = record.cross[0][head]
        rows, columns = np.nonzero(strongest(weights))
        ends = np.array([path.vertices for path in found.get_paths()])
        np.testing.assert_allclose(ends[:, 0, 1], rows + 0.5)
        np.testing.assert_allclose(ends[:, 1, 1], columns + 0.5)
        thick = np.array(found.get_linewidths())
        np.testing.assert_allclose(
            thick / thick.max(), weights[rows, columns] / weights[rows, columns].max(), rtol=1e-5
        )
    assert len({tuple(found.get_colors()[0]) for found in links(drawn)}) == 2
    assert {"— head 1", "— head 3", "attention weight", "0.25", "0.50", "1.00"} <= set(texts(drawn))
    assert "70% of its weight" in " ".join(texts(drawn))
    fewer = draw_lines(record, [Head("cross", 0, 0)], LOOK, 0.2)
    assert len(links(fewer)[0].get_paths()) == strongest(record.cross[0][0], 0.2).sum()
    assert "20% of its weight" in " ".join(texts(fewer))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("pieces", [1, 12, 60, 351])
def test_everything_is_in_it(pieces, width):
    record = maps(*[f"▁piece{at}" for at in range(pieces)], heads=8)
    heads = [Head("cross", 0, head) for head in range(8)]
    drawn = draw_lines(record, heads, Look(width=width), 0.7)
    assert drawn.get_size_inches()[0] == WIDTHS[width].inches
    assert drawn.get_size_inches()[1] < WIDTHS[width].tall + 4
    FigureCanvasAgg(drawn)  # else every text makes a picture of its own to be measured in
    for text in drawn.texts:
        box = text.get_window_extent()
        assert -2 <= box.x0 < box.x1 <= drawn.bbox.width + 2, text


@pytest.mark.parametrize("form", FIGURES)
def test_a_control_character_leaves_a_file_well_formed(form):
    data = lines_figure(maps("\x1b", "\x00--"), [Head("cross", 0, 0)], form=form)
    assert data == lines_figure(maps("\x1b", "\x00--"), [Head("cross", 0, 0)], form=form)
    if form == "svg":
        ET.fromstring(data)


def test_very_many_lines_are_an_image():
    even = maps(*["x"] * 120)
    even = even.mapped(lambda kind, layer: np.full_like(layer, 1 / 120), "even")
    assert strongest(even.cross[0][0]).sum() > MOST_LINES
    assert len(lines_figure(even, [Head("cross", 0, 0)])) < 3e6


def test_what_has_no_lines():
    record = maps(*"abc", layers=2)
    with pytest.raises(HeadscopeError, match="one layer"):
        lines_figure(record, [Head("cross", 0, 0), Head("cross", 1, 0)])
    with pytest.raises(HeadscopeError, match="no strongest links"):
        lines_figure(replace(record, quantity="difference"), [Head("cross", 0, 0)])
