"""What all figures share."""

import io
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest
from PIL import Image

from headscope.app.export.paper import (
    FIGURES,
    MOST_DOTS,
    RESOLUTION,
    TALLEST,
    WIDTHS,
    Paper,
    colours,
    decimals,
    printed,
)
from headscope.model.errors import HeadscopeError

ROOT = Path(__file__).parents[3]
MAKE = """
from headscope.app.export.paper import Paper, printed
def draw():
    paper = Paper("column", ["▁the"], "A caption.")
    drawn = paper.figure(1.0)
    paper.axes(drawn, 0.5, 0.2, 1, 0.5).pcolormesh([[0, 1]])
    paper.write(drawn, "▁the", 0.1, 0.5)
    return drawn
"""


def make():
    names = {}
    exec(MAKE, names)
    return names["draw"]


@pytest.mark.parametrize("form", FIGURES)
def test_the_same_figure_is_the_same_bytes_in_another_process(form):
    script = f"{MAKE}\nimport hashlib; print(hashlib.sha256(printed(draw, {form!r})).hexdigest())"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    import hashlib

    assert found.stdout.strip() == hashlib.sha256(printed(make(), form)).hexdigest()


def test_fonts_are_embedded_and_settings_are_left_as_they_were():
    before = dict(mpl.rcParams)
    with mpl.rc_context({"text.color": "red", "svg.fonttype": "none"}):
        svg = printed(make(), "svg").decode()
    assert svg == printed(make(), "svg").decode(), "whatever a notebook has set"
    assert "<text" not in svg
    assert "font-family" not in svg
    pdf = printed(make(), "pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("width", WIDTHS)
def test_widths(width):
    paper = Paper(width, [], "word " * 200)
    drawn = paper.figure(1.0)
    assert drawn.get_size_inches()[0] == WIDTHS[width].inches
    sizes = {text.get_fontsize() for text in drawn.texts}
    assert sizes == {WIDTHS[width].points}
    assert min(sizes) >= 7
    with Image.open(io.BytesIO(printed(lambda: drawn, "png"))) as image:
        assert image.width == round(WIDTHS[width].inches * RESOLUTION)
    ends = [text.get_window_extent().x1 for text in drawn.texts]
    assert max(ends) <= drawn.bbox.width


def test_a_tall_png_has_fewer_dots_and_a_figure_without_end_is_refused():
    tall = Paper("column", [], "caption").figure(150)
    with Image.open(io.BytesIO(printed(lambda: tall, "png"))) as image:
        assert 0.9 * MOST_DOTS < image.width * image.height <= MOST_DOTS
    with pytest.raises(HeadscopeError, match=f"1,000 inches tall, and {TALLEST:.0f} is the most"):
        Paper("column", [], "").figure(1000 - 0.13)


def test_numbers_that_stand_together_have_equally_many_decimals():
    assert decimals([0.0, 0.000533, 0.994]) == ["0.00", "0.00", "0.99"]
    assert decimals([-0.5, 0, 0.5]) == ["−0.50", "0.00", "0.50"]
    assert decimals([0, 0.006, 0.012]) == ["0.000", "0.006", "0.012"]
    assert decimals([0, 0]) == ["0.00", "0.00"]
    assert decimals([0, 75, 150]) == ["0.00", "75.00", "150.00"]


def test_the_middle_of_differences_is_white():
    assert colours("difference")(0.5)[:3] == pytest.approx((1, 1, 1), abs=0.01)
    assert colours("weight")(0.0)[:3] == (1, 1, 1)


@pytest.mark.parametrize(("form", "width"), [("jpg", "column"), ("svg", "poster")])
def test_what_there_is_not(form, width):
    with pytest.raises(HeadscopeError, match="choose one of"):
        printed(lambda: Paper(width, [], "").figure(1), form)
