"""Maps as figures for print."""

import io
import tracemalloc
import warnings
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import QuadMesh
from PIL import Image

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.heads import Head
from headscope.app.export.figure import draw_matrix, draw_wall, draw_what_if, matrix_figure, tokens
from headscope.app.export.paper import FIGURES, WIDTHS, Look
from headscope.model.sites import KINDS

HEAD = Head("cross", 0, 0)
UNKNOWN = "\U0001f9ff"
"""An emoji: fonts have it as a colour bitmap, if at all."""
LOOK = Look("caption $y$", "page")


def maps(*pieces: str, heads: int = 1, layers: int = 1, seed: int = 0) -> AttentionMaps:
    text = "".join(pieces)
    tokens = Tokens(text, tuple(Token(piece, 5 + at, (at, at + 1)) for at, piece in enumerate(pieces)))
    drawn = np.random.default_rng(seed).dirichlet(np.full(len(pieces), 0.1), (layers, heads, len(pieces)))
    weights = dict.fromkeys(KINDS, tuple(drawn.astype(np.float32)))
    return AttentionMaps(weights, {}, tokens, tokens, tokens, np.zeros(len(pieces)), "weight", "f")


def texts(drawn) -> list[str]:
    return [text.get_text() for text in drawn.texts]


def shown(axes) -> np.ndarray:
    """The numbers of a map, from its outlines or its image."""
    meshes = [part for part in axes.collections if isinstance(part, QuadMesh)]
    return np.asarray(meshes[0].get_array() if meshes else axes.images[0].get_array())


def test_tokens_stand_as_they_are():
    pieces = ("▁the", "▁the", "</s>", "$x$", "&amp;", "<b>", "_{2}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = draw_matrix(maps(*pieces), HEAD, LOOK)
        svg = matrix_figure(maps(*pieces), HEAD, caption="caption $y$").decode()
    found = texts(drawn)
    assert [text for text in found if text in pieces] == list(pieces)
    assert "</s> → </s>" in found
    assert "caption $y$" in found
    assert "<b>" not in svg


def test_text_from_right_to_left_keeps_its_side_of_the_arrow():
    rows, _ = tokens(maps("שלום", "עולם"), "cross", 40)
    assert rows[1] == "\u2068עולם\u2069 → \u2068עולם\u2069"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        matrix_figure(maps("שלום", "עולם"), HEAD, form="png")


def test_letters_without_a_font_are_said_and_not_drawn_as_boxes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = draw_matrix(maps("▁the", f"a{UNKNOWN}"), HEAD, LOOK)
        matrix_figure(maps("▁the", f"a{UNKNOWN}"), HEAD, form="png")
    assert "a‹1F9FF›" in texts(drawn)
    assert "No installed font has U+1F9FF" in " ".join(texts(drawn))


@pytest.mark.parametrize("form", FIGURES)
def test_a_control_character_leaves_a_file_well_formed(form):
    data = matrix_figure(maps("\x1b", "\x00--", "\ud800", "\ufffe"), HEAD, form=form)
    assert data == matrix_figure(maps("\x1b", "\x00--", "\ud800", "\ufffe"), HEAD, form=form)
    if form == "svg":
        ET.fromstring(data)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("pieces", [1, 12, 60, 351])
def test_a_figure_is_as_wide_as_was_asked_for_and_everything_is_in_it(pieces, width):
    record = maps(*[f"▁piece{at}" for at in range(pieces)], heads=2)
    for drawn in (
        draw_matrix(record, HEAD, Look("caption", width)),
        draw_wall(record, "encoder", Look("caption", width)),
        draw_what_if(record, record, HEAD, Look("caption", width)),
    ):
        size = drawn.get_size_inches()
        assert size[0] == WIDTHS[width].inches
        assert size[1] < 4 * WIDTHS[width].tall
        assert {text.get_fontsize() for text in drawn.texts} == {WIDTHS[width].points}
        FigureCanvasAgg(drawn)  # else every text makes a picture of its own to be measured in
        for text in drawn.texts:
            box = text.get_window_extent()
            assert -2 <= box.x0 < box.x1 <= drawn.bbox.width + 2, text
        assert all(axes.get_position().x0 >= 0 and axes.get_position().x1 <= 1 for axes in drawn.axes)


def test_long_sentences_are_named_in_part_and_pooled_where_cells_would_be_smaller_than_a_dot():
    record = maps(*[f"▁p{at}" for at in range(60)])
    drawn = draw_matrix(record, HEAD, Look(width="column"))
    named = [text for text in texts(drawn) if "→" in text and text.startswith("▁p")]
    assert f"One token in {-(-60 // len(named))} is named." in " ".join(texts(drawn))
    np.testing.assert_array_equal(shown(drawn.axes[0]), record.cross[0][0])
    record = maps(*["x"] * 900)
    drawn = draw_matrix(record, HEAD, Look(width="column"))
    assert "Each cell is the one of 2 × 2 that is farthest from 0." in " ".join(texts(drawn)).replace("\n", " ")
    expected = record.cross[0][0].reshape(450, 2, 450, 2).max((1, 3))
    np.testing.assert_array_equal(shown(drawn.axes[0]), expected)


def test_memory_does_not_grow_with_the_sentence():
    record = maps(*["x"] * 351)
    for form in FIGURES:
        matrix_figure(maps("x"), HEAD, form=form)
        tracemalloc.start()
        data = matrix_figure(record, HEAD, form=form)
        assert tracemalloc.get_traced_memory()[1] < 1e8
        tracemalloc.stop()
        assert len(data) < 3e6


def test_a_difference_has_a_scale_with_0_in_its_middle():
    before, after = maps(*"abc", seed=1), maps(*"abc", seed=2)
    drawn = draw_what_if(before, after, HEAD, Look(width="page"))
    pictures = [axes for axes in drawn.axes if axes.collections]
    expected = (before.cross[0][0], after.cross[0][0], after.cross[0][0] - before.cross[0][0])
    for axes, weights in zip(pictures, expected, strict=True):
        np.testing.assert_allclose(shown(axes), weights, atol=1e-7)
    least, most = pictures[2].collections[0].get_clim()
    assert -least == most == pytest.approx(np.abs(expected[2]).max())
    assert pictures[0].collections[0].get_clim() == (0, 1)
    assert {"With all heads", "Without", "Difference", "change, after − before"} <= set(texts(drawn))
    assert {f"−{most:.2f}", "0.00", f"{most:.2f}"} <= set(texts(drawn))


def test_a_what_if_stands_side_by_side_where_there_is_room():
    record = maps(*"abc")
    for width, rows in (("column", 3), ("page", 1), ("slide", 1)):
        drawn = draw_what_if(record, record, HEAD, Look(width=width))
        places = {round(axes.get_position().y0, 4) for axes in drawn.axes if axes.collections}
        assert len(places) == rows


def test_the_wall_has_every_head_by_its_name():
    record = maps(*"abcd", heads=3, layers=2)
    drawn = draw_wall(record, "encoder", Look(width="column", scale="largest"))
    pictures = [axes for axes in drawn.axes if axes.collections]
    for axes, weights in zip(pictures, np.concatenate(record.encoder), strict=True):
        np.testing.assert_array_equal(shown(axes), weights)
    names = [text for text in texts(drawn) if text[0].isdigit() and len(text) == 3]
    assert names == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
    most = max(layer.max() for layer in record.encoder)
    assert {axes.collections[0].get_clim() for axes in pictures} == {(0, float(most))}


def test_axes_and_bars_have_titles_and_two_decimals():
    found = texts(draw_matrix(maps(*"abc"), HEAD, LOOK))
    assert {"looks at", "reads → predicts", "attention weight", "0.00", "0.50", "1.00"} <= set(found)
    assert "token" in texts(draw_matrix(maps(*"abc"), Head("encoder", 0, 0), LOOK))


def test_a_png_has_the_colours_of_the_weights():
    data = matrix_figure(maps("a"), HEAD, form="png")
    with Image.open(io.BytesIO(data)) as image:
        assert (0x3E, 0x00, 0xA3) in {colour for _, colour in image.convert("RGB").getcolors(1 << 24)}
