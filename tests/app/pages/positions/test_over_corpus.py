"""Views over a corpus: tables, walls, and what they were measured over."""

import pytest
import streamlit as st

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions.study import LENGTHS, position_study, save_position_study
from headscope.app.view import session
from headscope.app.workbench import studies
from headscope.model.errors import HeadscopeError
from headscope.model.translator import load_translator
from tests.app.commands.measuring import copied
from tests.app.page_tools import sent
from tests.toys import SENTENCES, brief

TEXTS = Texts([*SENTENCES, ("We see.", "Wir sehen."), ("She reads.", "Sie liest.")], "made up", "CC0", "nobody")


@pytest.fixture(scope="module")
def studied(checkpoint, tmp_path_factory):
    folder = copied(checkpoint, tmp_path_factory.mktemp("studied") / "studied")
    few = {"bins": (*LENGTHS[:2], (30, 31)), "most": 1, "sentences": 2, "offsets": (0, 2)}
    save_position_study(position_study(brief(load_translator(folder)), TEXTS, **few), folder)
    return folder


@pytest.fixture
def open_studied(open_app, studied, checkpoint, monkeypatch):
    def refuse(bench, checkpoint):
        raise HeadscopeError("there are no sentences")

    monkeypatch.setattr(session, "checkpoint_folders", lambda places: {"studied": studied, "toy": checkpoint})
    monkeypatch.setattr(studies, "examples", refuse)
    st.cache_resource.clear()
    return lambda **params: open_app("positions", **{"p.beside": "0"} | params)


def words(page) -> str:
    return " ".join(each.value for each in (*page.main.text, *page.main.caption))


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("changes", ["checkpoint", "positions", "loss", "change", "BLEU", "chrF", "length ratio", "refused"]),
        ("offsets", ["checkpoint", "first position", "loss", "change", "positions"]),
    ],
)
def test_numbers_of_the_study_stand_in_a_table(open_studied, view, columns):
    page = open_studied(**{"p.view": view})
    (table,) = page.table
    assert list(table.value.columns) == columns
    assert "2 sentences: made up." in words(page)


def test_lengths_come_with_counts_and_intervals(open_studied):
    (table,) = open_studied(**{"p.view": "length"}).table
    assert (table.value["sentences"] != "0").any()
    assert (table.value["loss"] == "").sum() == (table.value["sentences"] == "0").sum(), "an empty bin has no number"


def test_one_measure_by_length_is_drawn_at_a_time(open_studied):
    page = open_studied(**{"p.view": "length"})
    for measure, title in (("loss", "studied: loss"), ("bleu", "studied: BLEU"), ("chrf", "studied: chrF")):
        page.get_by_key("view-positions.measure").set_value(measure).run()
        assert not page.exception
        assert title in words(page)


def test_a_click_on_the_wall_draws_another_head(open_studied):
    page = open_studied(kind="encoder", layer="2", head="3", **{"p.view": "heads"})
    drawn = sent(page, "headscope_wall")
    current = [tile["name"] for layer in drawn["layers"] for tile in layer["tiles"] if tile["current"]]
    assert len(current) == 1
    assert current[0].startswith("studied, layer 2, head 3")
    assert "studied: encoder 2.3" in words(page)


def test_what_there_is_not_is_said_in_its_place(open_studied):
    assert "too few to fit a probe" in words(open_studied(**{"p.view": "layers"}))
    assert "There are no sentences" in words(open_studied(checkpoint="toy", **{"p.view": "heads"}))
