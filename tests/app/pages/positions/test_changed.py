"""The sentence with changed positions."""

import pytest
import streamlit as st

from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.positions import exchanged
from headscope.app.pages.positions.changed import change_of, described, verdict
from headscope.app.view import session
from headscope.app.view.positions_state import HOWS, PositionsView
from headscope.app.workbench.changed_positions import Change
from tests.app.page_tools import SENTENCE, sent, shown


@pytest.fixture(scope="module")
def folders(checkpoint, learned):
    return {"toy": checkpoint, "learned": learned}


@pytest.fixture
def open_what_if(open_app, folders, monkeypatch):
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: folders)
    st.cache_resource.clear()
    return lambda **params: open_app("positions", **{"p.view": "what_if"} | params)


def texts(page) -> str:
    return " ".join(text.value for text in (*page.main.text, *page.main.caption))


def test_the_numbers_are_those_of_the_analysis(open_what_if, translator):
    page = open_what_if(kind="encoder", **{"p.token": "2", "p.to": "4"})
    found = what_if(translator, SENTENCE, exchanged(1, 3, "source"))
    data = sent(page, "headscope_compare")
    assert [word["text"] for word in data["after"]] == found.after.text.split()
    assert [token["change"] for token in data["changes"]] == pytest.approx(found.effect.change.tolist(), abs=1e-3)
    assert data["names"] == ["As it is", "Changed"]
    drawn = sent(page, "headscope_wall")
    assert drawn["quantity"] == "difference"
    assert any(tile["value"] for layer in drawn["layers"] for tile in layer["tiles"])
    assert "have each other's positions" in texts(page)
    assert "the new map is nearer to the places in" in texts(page)
    titles = [each.proto.json for each in page.get("bidi_component") if "head_map" in each.proto.component_name]
    assert len(titles) == 3


@pytest.mark.parametrize("how", HOWS)
def test_every_change(open_what_if, how):
    page = open_what_if(**{"p.how": how, "p.by": "3", "p.sides": "target"})
    assert sent(page, "headscope_wall")["quantity"] == "difference"
    assert texts(page).count("The target: ") == 1
    told = sent(page, "headscope_wall")["layers"][0]["tiles"][0]["value"] is not None
    assert told == (how in ("exchange", "move"))


def test_controls_change_the_address(open_what_if):
    page = open_what_if()
    page.get_by_key("view-positions.how").set_value("offset").run()
    page.get_by_key("view-positions.sides").set_value("both").run()
    page.get_by_key("view-positions.by").set_value(2).run()
    assert not page.exception
    own = {name: page.query_params[name] for name in ("p.how", "p.sides", "p.by")}
    assert own == {"p.how": "offset", "p.sides": "both", "p.by": "2"}
    page.get_by_key("view-positions.how").set_value("repeat").run()
    assert shown(page).positions.sides == "source"


def test_what_cannot_be_is_refused_in_its_place(open_what_if):
    page = open_what_if(checkpoint="learned", **{"p.how": "offset", "p.by": "40", "p.sides": "both"})
    assert "learned positions end at 47" in texts(page)
    assert "the first position is 0" in texts(open_what_if(**{"p.how": "offset", "p.by": "-3"}))


def test_presented_it_has_keys_and_no_controls(open_what_if):
    page = open_what_if(present="1")
    assert not page.get("selectbox")
    assert not page.get("download_button")
    assert "← → head" in sent(page, "headscope_keys")["hints"]


def test_words(translator):
    from headscope.analysis.capture.attention import attention_maps

    tokens = attention_maps(translator, SENTENCE).source
    assert change_of(PositionsView(token=500, to=1), None, tokens) == Change("exchange", "source", len(tokens) - 1, 1)
    assert described(Change("offset", "both", by=3), tokens) == "Both sides: position 0 becomes 3, and so on"
    assert described(Change("swap", "source", other="learned"), tokens) == "The source: positions of learned"
    assert described(Change("shift", "source", 2, by=3), tokens).endswith("(2) stands at 5")
    assert verdict("cross", {}, 6).endswith("of no head can it be told whether it follows place or word.")
