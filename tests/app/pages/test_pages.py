"""Every page, run without a browser: controls, addresses, problems."""

import os
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import headscope.app
from headscope.app.view import session
from headscope.app.view.state import View, to_query
from headscope.model.card import available
from tests.app.page_tools import SENTENCE, sent, settle, shown, weights


def test_the_example_is_on_the_first_page(open_app):
    page = open_app()
    assert page.title[0].value == "Where does this head look?"
    strip, head = sent(page, "headscope_strip"), sent(page, "headscope_head_map")
    assert strip["source"]["text"] == SENTENCE
    assert strip["output"]["text"] == "Wegen des Nebels konnten wir die Berge nicht sehen."
    assert head["title"] == "Cross-attention, layer 3, head 1"
    assert strip["facts"][0]["text"] == "toy"
    assert any(fact["text"].startswith("log p −") for fact in strip["facts"])


def test_controls_change_the_map_and_the_address(open_app):
    page = open_app()
    page.get_by_key("view-kind").set_value("encoder").run()
    page.get_by_key("view-layer").set_value(0).run()
    page.get_by_key("view-head").set_value(3).run()
    assert not page.exception
    assert sent(page, "headscope_head_map")["title"] == "Encoder self-attention, layer 1, head 4"
    assert page.query_params == to_query(shown(page))
    page.get_by_key("view-kind").set_value("decoder").run()
    assert not page.exception
    assert sent(page, "headscope_head_map")["title"] == "Decoder self-attention, layer 1, head 2"


def test_a_link_opens_the_same_view(open_app):
    view = View("other", "How much does a ticket cost?", 2, 1.5, "decoder", 1, 1, pin=None)
    page = open_app(**to_query(view))
    assert shown(page) == view
    assert sent(page, "headscope_head_map")["title"] == "Decoder self-attention, layer 2, head 2"
    assert page.query_params == to_query(view)
    link = dict(pair.split("=") for pair in sent(page, "headscope_strip")["link"].split("&"))
    assert link["kind"] == "decoder"


def test_an_address_that_says_the_view_is_left_alone(open_app):
    assert open_app().query_params == {"source": SENTENCE}


def test_numbers_out_of_range_are_clamped(open_app):
    page = open_app(layer="99", head="99", beam="99", penalty="nan", kind="all", pin="source.9999")
    assert (shown(page).layer, shown(page).head, shown(page).beam) == (2, 1, 16)
    assert shown(page).length_penalty == 0.6
    assert shown(page).kind == "cross"


def test_the_back_button_brings_the_view_back(open_app):
    page = open_app(head="1")
    before = dict(page.query_params)
    page.get_by_key("view-head").set_value(1).run()
    page.query_params.clear()
    page.query_params.update(before)
    settle(page)
    assert shown(page).head == 0
    assert page.get_by_key("view-head").value == 0


def test_a_control_wins_over_an_address_that_is_a_step_behind(open_app):
    page = open_app(head="1", layer="1")
    before = dict(page.query_params)
    page.get_by_key("view-head").set_value(1).run()
    page.query_params.clear()
    page.query_params.update(before)
    page.get_by_key("view-layer").set_value(1).run()
    assert (shown(page).layer, shown(page).head) == (1, 1)


def test_hostile_text_stays_text(open_app):
    text = "<script>alert(1)</script> </s> &amp; **b** $x$ :red[y]"
    strip = sent(open_app(source=text), "headscope_strip")
    assert strip["source"]["text"] == text
    spelled = "".join(label["full"] for label in strip["source"]["labels"][:-1])
    assert spelled.replace("▁", " ").strip() == text


def test_the_workbench_knows_the_folders_the_server_names(checkpoint, monkeypatch):
    st.cache_resource.clear()
    monkeypatch.setenv(session.CHECKPOINTS, os.pathsep.join([str(checkpoint)]))
    assert session.workbench().names == [checkpoint.name]
    st.cache_resource.clear()


@pytest.mark.parametrize("name", available())
def test_checkpoints_that_ship_show_their_example(name, monkeypatch):
    monkeypatch.delenv(session.CHECKPOINTS, raising=False)
    st.cache_resource.clear()
    page = AppTest.from_file(Path(headscope.app.__file__).with_name("pages") / "main.py", default_timeout=60)
    page.query_params["checkpoint"] = name
    settle(page)
    assert sent(page, "headscope_strip")["output"]["text"]
    np.testing.assert_allclose(weights(page).sum(-1), 1, atol=1e-4)
    st.cache_resource.clear()


def test_words_hidden_symbols_and_contributions(open_app):
    page = open_app(pin="output.2")
    page.get_by_key("view-unit").set_value("words").run()
    page.get_by_key("view-special").set_value("hidden").run()
    page.get_by_key("view-quantity").set_value("contribution").run()
    assert not page.exception
    data = sent(page, "headscope_head_map")
    assert [label["full"] for label in data["columns"]] == [*SENTENCE[:-1].split(), ".", "</s>"]
    assert data["quantity"] == "contribution"
    assert (weights(page)[:, -1] == 0).all()
    assert min(data["hidden"]) > 0
    assert shown(page).pin is None
    assert page.query_params == to_query(shown(page))
