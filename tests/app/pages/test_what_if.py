"""The page of heads that are taken away."""

import re
from dataclasses import replace

import pytest

from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.heads import UniformAttention, Zeroed
from headscope.analysis.records.heads import Head
from tests.app.page_tools import SENTENCE, sent, settle

CROSS = [Head("cross", layer, head) for layer in range(3) for head in range(2)]


def address(heads) -> str:
    return ",".join(f"{kind}.{layer + 1}.{head + 1}" for kind, layer, head in heads)


def test_it_opens_with_one_head_off(open_app):
    page = open_app("what_if")
    assert page.title[0].value == "What happens without these heads?"
    wall = sent(page, "headscope_wall")
    assert (wall["toggles"], wall["off"]) == (True, [4])
    page.button[0].click().run()
    assert not page.exception
    assert sent(page, "headscope_wall")["off"] == []
    assert sent(page, "headscope_compare")["facts"].endswith("The search finds it again.")
    assert page.query_params["off"] == ""


@pytest.mark.parametrize(("instead", "probe"), [("zero", Zeroed), ("uniform", UniformAttention)])
def test_the_numbers_are_those_of_the_analysis(open_app, translator, instead, probe):
    page = open_app("what_if", off=address(CROSS), instead=instead)
    found = what_if(translator, SENTENCE, probe(translator.model.config, CROSS))
    data = sent(page, "headscope_compare")
    assert [word["text"] for word in data["before"]] == found.before.text.split()
    assert [word["text"] for word in data["after"]] == found.after.text.split()
    assert [token["change"] for token in data["changes"]] == pytest.approx(found.effect.change.tolist(), abs=1e-3)
    assert found.before.text != found.after.text
    assert any(word["changed"] for word in data["after"])
    total = re.search(r"\(([-+].+?)\)", data["facts"].replace("−", "-"))[1]
    assert float(total) == pytest.approx(found.effect.total, abs=0.01)


def test_heads_of_other_kinds_stay_off_and_are_named(open_app):
    page = open_app("what_if", kind="encoder", off="cross.1.1,encoder.2.4")
    assert sent(page, "headscope_wall")["off"] == [7]
    assert page.main.text[0].value == "Off elsewhere: cross 1.1"


def test_a_click_on_a_tile_toggles(open_app):
    page = open_app("what_if", off="cross.1.1")
    page.session_state["view"] = replace(page.session_state["view"], off=(CROSS[0], CROSS[3]))
    page.session_state["changed"] = True
    settle(page)
    assert sent(page, "headscope_wall")["off"] == [0, 3]
    assert page.query_params["off"] == "cross.1.1,cross.2.2"
