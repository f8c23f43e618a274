"""Buttons that save what a page shows."""

import re

import pytest
import streamlit as st

from headscope.app.export import files
from headscope.app.export.files import AT_ONCE, FIGURES, FORMS, MOST_CELLS, Export
from headscope.app.export.paper import WIDTHS
from headscope.app.view import saving, working
from tests.app.page_tools import press, settle


@pytest.fixture
def saved(monkeypatch):
    """What the buttons of a page would save, and how they look, by their labels."""
    found = {}
    monkeypatch.setattr(st, "download_button", lambda label, data, **look: found.update({label: (data, look)}))
    return found


def export(saved, form: str) -> Export:
    return saved[form][0].args[0]


def test_lines_are_saved_as_lines(open_app, saved):
    open_app("head", picture="lines", beside="2", scale="largest")
    assert (export(saved, "svg").picture, export(saved, "svg").heads) == ("lines", (0, 1))
    assert export(saved, "svg").scale == "largest"
    lines = saved["svg"][0]()
    open_app("head", scale="largest")
    assert export(saved, "svg").picture == "matrix"
    assert lines != saved["svg"][0]()


@pytest.mark.parametrize(("page", "picture"), [("overview", "wall"), ("what_if", "what-if")])
def test_other_pages_save_their_figures(open_app, saved, page, picture):
    open_app(page, kind="encoder", layer="2", head="3", off="cross.1.1,encoder.1.2")
    assert list(saved) == list(FIGURES)
    made = export(saved, "pdf")
    assert (made.picture, made.head) == (picture, ("encoder", 1, 2))
    assert saved["pdf"][0]().startswith(b"%PDF")
    if picture == "what-if":
        assert "without cross 1.1, encoder 1.2 (nothing in their place)" in made.caption
        assert saved["pdf"][1]["file_name"] == "toy-without-encoder-2-3.pdf"
    else:
        assert saved["pdf"][1]["file_name"] == "toy-encoder.pdf"
    saved.clear()
    open_app(page, present="1")
    assert not saved


def test_the_width_of_figures_is_chosen(open_app, saved, monkeypatch):
    monkeypatch.setattr("headscope.app.pages.search.saving.DRAWN_AT_ONCE", 10_000)
    page = open_app("overview")
    assert export(saved, "svg").width == "column"
    assert page.get_by_key("export-width").options == ["one column, 8.5 cm", "two columns, 17.8 cm", "a slide, 30.5 cm"]
    page.get_by_key("export-width").set_value("slide")
    settle(page)
    assert export(saved, "svg").width == "slide"
    assert set(saving.WIDTH_LABELS) == set(WIDTHS)
    page = open_app("search")
    page.get_by_key("export-width").set_value("page")
    settle(page)
    assert saved["pdf"][0].keywords["width"] == "page"


def test_what_cannot_be_written_has_no_button_to_press(saved, open_app, monkeypatch):
    monkeypatch.setattr(files, "MOST_CELLS", MOST_CELLS | {"csv": 10})
    open_app("head")
    assert {form for form in FORMS if saved[form][1]["disabled"]} == {"csv"}
    assert "csv holds 10: choose npz" in saved["csv"][1]["help"]


def test_what_takes_long_is_made_with_a_bar_and_then_saved(open_app, saved, monkeypatch):
    monkeypatch.setattr(files, "AT_ONCE", AT_ONCE | {"csv": 10})
    monkeypatch.setattr(working, "DELAY", 0)
    page = open_app("head")
    assert "csv" not in saved
    press(page, "export-csv")
    (name,) = [name for name in saved if name.startswith("Save")]
    assert re.fullmatch(r"Save toy-cross-\d-\d\.csv \(0\.\d MB\)", name)
    assert saved[name][0] == export(saved, "npz").write("csv")
    saved.clear()
    settle(page)
    assert name in saved, "it stays, and is not made again"
    saved.clear()
    open_again = page.get_by_key("view-head")
    open_again.set_value(1)
    settle(page)
    assert not [name for name in saved if name.startswith("Save")], "another head's is another file"


def test_making_a_file_is_cancelled(open_app, saved, monkeypatch):
    monkeypatch.setattr(files, "AT_ONCE", AT_ONCE | {"json": 10})
    monkeypatch.setattr(working, "DELAY", 0)
    monkeypatch.setattr(working, "EVERY", 0)
    write, heads = Export.write, []

    def interrupted(self, form, *, progress):
        class Then:
            def update(self, done, total):
                progress.update(done, total)
                heads.append((done, total))
                if done == 2:
                    st.stop()

        return write(self, form, progress=Then())

    monkeypatch.setattr(Export, "write", interrupted)
    page = open_app("head")
    press(page, "export-json")
    assert heads[-1] == (2, 20)
    assert "Writes the json: 2 of 20" in [bar.proto.text for bar in page.get("progress")]
    monkeypatch.setattr(Export, "write", write)
    press(page, "cancel Writes the json")
    assert "Writes the json: stopped." in [text.value for text in page.text]
    press(page, "export-json")
    assert [name for name in saved if name.startswith("Save toy")], "to press it again starts it again"
