"""A record of attention as a file."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.analysis.records.words import words
from headscope.app.export.figure import matrix_figure, wall_figure, what_if_figure
from headscope.app.export.files import FIGURES, FORMS, MOST_CELLS, Export, Without, form_of, taken_away
from headscope.app.export.html import content
from headscope.app.export.lines_figure import lines_figure
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import KINDS
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


@pytest.fixture(scope="module")
def export(translator) -> Export:
    return Export(attention_maps(translator, SOURCE), Head("decoder", 1, 0), "toy", "beam 4", ("en", "de"))


def test_arrays_are_the_record(export):
    with np.load(io.BytesIO(FORMS["npz"](export)), allow_pickle=False) as found:
        for kind in KINDS:
            for layer, array in enumerate(export.maps.layers(kind), 1):
                np.testing.assert_array_equal(found[f"{kind}_{layer}"], array)
        for side in ("source", "reads", "predicts"):
            assert found[side].tolist() == [token.piece for token in getattr(export.maps, side).tokens]
        np.testing.assert_array_equal(found["log_probs"], export.maps.log_probs)


def test_json_is_the_record(export):
    content = json.loads(FORMS["json"](export))
    assert (content["checkpoint"], content["settings"], content["quantity"]) == ("toy", "beam 4", "weight")
    assert (content["source"]["text"], content["predicts"]["text"]) == (SOURCE, TARGET)
    tokens = content["source"]["tokens"]
    assert [token["id"] for token in tokens] == [token.id for token in export.maps.source.tokens]
    assert "".join(SOURCE[slice(*token["span"])] for token in tokens).replace(" ", "") == SOURCE.replace(" ", "")
    for kind in KINDS:
        for told, array in zip(content[kind], export.maps.layers(kind), strict=True):
            np.testing.assert_allclose(told, array, atol=1e-7)


def test_json_keeps_small_weights(export):
    small = np.full_like(export.maps.encoder[0], 3e-8)
    small[:, 0, 0] = 1.0
    maps = replace(export.maps, maps={**export.maps.maps, "encoder": (small, *export.maps.encoder[1:])})
    written = np.array(json.loads(FORMS["json"](replace(export, maps=maps)))["encoder"][0])
    assert set(np.unique(written)) == {3e-8, 1.0}


def test_whether_it_was_cut_off(export, translator):
    maps = attention_maps(translator, SOURCE, settings=SearchSettings(longest=3))
    for each, finished in ((export, True), (replace(export, maps=maps), False)):
        with np.load(io.BytesIO(FORMS["npz"](each))) as found:
            assert found["finished"] == finished
        assert json.loads(FORMS["json"](each))["finished"] == finished
        assert each.caption.endswith(" (cut off)") != finished
        assert FORMS["html"](each).count(b'"cut_off":true') == (not finished)


def test_a_table_has_a_row_for_every_cell(export):
    rows = list(csv.DictReader(io.StringIO(FORMS["csv"](export).decode())))
    table = export.maps.to_pandas()
    assert list(rows[0]) == [*table.columns, "counted_from"]
    for count in ("layer", "head", "query_index", "key_index"):
        assert [int(row[count]) - int(row["counted_from"]) for row in rows] == table[count].tolist()
    assert [float(row["weight"]) for row in rows] == pytest.approx(table["weight"].tolist())


def test_a_figure_says_which_head_it_shows(export):
    assert export.caption == (
        f"Attention weights, decoder self-attention, layer 2, head 1. toy; beam 4. Source: {SOURCE} Target: {TARGET}"
    )
    lines = replace(export, picture="lines", beside=(1,))
    assert "decoder self-attention, layer 2, heads 1, 2. toy" in lines.caption
    assert "decoder self-attention, all heads. toy" in replace(export, picture="wall").caption
    without = Without(export.maps, taken_away((Head("cross", 2, 0), Head("encoder", 0, 1)), "nothing"))
    assert (
        "head 1, with all heads and without cross 3.1, encoder 1.2 (nothing in their place). toy"
        in replace(export, picture="what-if", without=without).caption
    )
    assert export.note == ""
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert [FORMS[form](export)[: len(starts[form])] for form in FIGURES] == list(starts.values())


@pytest.mark.parametrize("form", FIGURES)
def test_a_figure_is_of_what_is_shown(export, form):
    """The line view is saved as lines, the wall as the wall: each picture is its own function's."""
    look = {"form": form, "width": "page", "scale": "largest"}
    shown = replace(export, width="page", scale="largest", beside=(1,))
    assert shown.write(form) == matrix_figure(export.maps, export.head, caption=shown.caption, **look)
    lines = replace(shown, picture="lines")
    heads = [Head("decoder", 1, 0), Head("decoder", 1, 1)]
    assert lines.write(form) == lines_figure(export.maps, heads, caption=lines.caption, **look)
    wall = replace(shown, picture="wall")
    assert wall.write(form) == wall_figure(export.maps, "decoder", caption=wall.caption, **look)
    before = replace(shown, picture="what-if", without=Without(export.maps, ""))
    expected = what_if_figure(export.maps, export.maps, export.head, caption=before.caption, **look)
    assert before.write(form) == expected
    assert len({shown.write(form), lines.write(form), wall.write(form), before.write(form)}) == 4


def test_a_control_character_breaks_no_file(translator):
    """In pieces and in words: a null, an escape, half of a surrogate pair, a line break, what would end a comment."""
    maps = attention_maps(translator, "We could\x00 not\x1b see\ud800 the\r\n mountains -->.")
    for shown in (maps, words(maps)):
        made = Export(shown, Head("cross", 0, 0), "toy", "beam 4", ("en", "de"))
        for picture in ("matrix", "lines", "wall"):
            ET.fromstring(replace(made, picture=picture).write("svg"))
            assert replace(made, picture=picture).write("pdf").startswith(b"%PDF")
        assert len(list(csv.reader(io.StringIO(made.write("csv").decode(), newline="")))) == len(shown.to_pandas()) + 1
        assert not {char for char in made.write("csv").decode() if char < " " and char != "\n"}
        assert json.loads(made.write("json"))["source"]["text"] == shown.source.text
        assert "\x00" not in made.write("html").decode()


def test_what_would_take_too_much_memory_is_refused_before_anything_is_made(export, monkeypatch):
    monkeypatch.setattr(AttentionMaps, "to_pandas", lambda self: pytest.fail("made"))
    heads = np.broadcast_to(np.float32(0), (1000, 351, 351))
    large = replace(export, maps=replace(export.maps, maps={"cross": (heads,)}))
    for form, most in MOST_CELLS.items():
        with pytest.raises(
            HeadscopeError, match=f"there are 123,201,000 weights, and {form} holds {most:,}: choose npz"
        ):
            large.write(form)
    assert [form for form in FORMS if large.refusal(form)] == list(MOST_CELLS)
    assert not [form for form in FORMS if export.refusal(form)]


def test_files_list_the_attention_that_the_model_has(export):
    only = replace(export, maps=replace(export.maps, maps={"decoder": export.maps.decoder}))
    assert not {"encoder", "cross"} & json.loads(only.write("json")).keys()
    with np.load(io.BytesIO(only.write("npz"))) as found:
        assert {name for name in found if "_" in name} == {"decoder_1", "decoder_2", "decoder_3", "log_probs"}
    file = content(only)
    assert (file.names, list(file.kinds)) == ((("decoder", "Decoder"),), ["decoder"])


def test_the_form_goes_by_the_ending():
    assert [form_of(Path(f"a.b/maps.{form.upper()}")) for form in FORMS] == list(FORMS)
    for name in ("maps", "maps.xlsx", ".npz"):
        with pytest.raises(HeadscopeError, match=r"ends in none of \.npz, \.json"):
            form_of(Path(name))
