"""Every page, run without a browser: controls, addresses, problems."""

import base64
import io
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
from tests.app.page_tools import SENTENCE, sent, settle


def weights(page: AppTest) -> np.ndarray:
    data = sent(page, "headscope_head_map")
    raw = np.frombuffer(base64.b64decode(data["weights"]), "<f4")
    return raw.reshape(len(data["rows"]), len(data["columns"]))


def shown(page: AppTest) -> View:
    return page.session_state["view"]


def test_the_example_is_on_the_first_page(open_app):
    page = open_app()
    assert page.title[0].value == "Where does this head look?"
    strip, head = sent(page, "headscope_strip"), sent(page, "headscope_head_map")
    assert strip["source"]["text"] == SENTENCE
    assert strip["output"]["text"] == "Wegen des Nebels konnten wir die Berge nicht sehen."
    assert head["title"] == "Cross-attention, layer 3, head 1"
    assert strip["facts"][0]["text"] == "toy"
    assert any(fact["text"].startswith("log p −") for fact in strip["facts"])


def test_the_map_is_the_record(open_app, translator):
    from headscope.analysis.capture.attention import attention_maps

    maps = attention_maps(translator, SENTENCE)
    for kind, layer, head in (("cross", 2, 1), ("encoder", 1, 3), ("decoder", 0, 0)):
        page = open_app(kind=kind, layer=str(layer + 1), head=str(head + 1))
        np.testing.assert_array_equal(weights(page), maps.layers(kind)[layer][head])


def test_rows_say_what_is_read_and_what_is_predicted(open_app):
    def names(labels) -> list[str]:
        return [label["full"] for label in labels]

    page = open_app()
    output = names(sent(page, "headscope_strip")["output"]["labels"])
    rows = sent(page, "headscope_head_map")["rows"]
    assert names(row["reads"] for row in rows) == ["<s>", *output[:-1]]
    assert names(row["predicts"] for row in rows) == output
    assert output[-1] == "</s>"
    encoder = sent(open_app(kind="encoder"), "headscope_head_map")
    assert [row["predicts"] for row in encoder["rows"]] == [None] * len(encoder["columns"])
    assert names(row["reads"] for row in encoder["rows"]) == names(encoder["columns"])


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


def test_lines_of_several_heads(open_app):
    page = open_app(picture="lines", kind="encoder", layer="1")
    assert [head["head"] for head in sent(page, "headscope_lines")["heads"]] == [0]
    page.get_by_key("view-beside").set_value([2, 3]).run()
    assert not page.exception
    data = sent(page, "headscope_lines")
    assert [head["head"] for head in data["heads"]] == [0, 2, 3]
    assert page.query_params["beside"] == "3,4"
    page.get_by_key("view-kind").set_value("cross").run()
    assert not page.exception
    assert [head["head"] for head in sent(page, "headscope_lines")["heads"]] == [0]


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


def test_colours_may_end_at_the_largest_weight(open_app):
    page = open_app()
    assert sent(page, "headscope_head_map")["most"] == 1
    page.get_by_key("view-scale").set_value("largest").run()
    assert not page.exception
    assert weights(page).max() <= sent(page, "headscope_head_map")["most"] < 1
    assert page.query_params["scale"] == "largest"


def test_what_is_shown_can_be_saved(open_app, monkeypatch, translator):
    from headscope.analysis.capture.attention import attention_maps
    from headscope.app.export.files import FORMS, Export

    saved = []
    monkeypatch.setattr(st, "download_button", lambda label, data, **options: saved.append((label, data, options)))
    open_app(kind="encoder", layer="2", head="3", special="hidden")
    assert [label for label, *_ in saved] == list(FORMS)
    assert saved[0][2]["file_name"] == "toy-encoder-2-3.npz"
    export = saved[0][1].args[0]
    assert isinstance(export, Export)
    assert export.languages == ("en", "de")
    assert "layer 2, head 3. toy; beam 4, length penalty 0.6, start and end symbols hidden." in export.caption
    with np.load(io.BytesIO(saved[0][1]())) as found:
        whole = attention_maps(translator, SENTENCE).encoder[1]
        np.testing.assert_allclose(found["encoder_2"][:, :, :-1], whole[:, :, :-1], atol=1e-5)
        assert (found["encoder_2"][:, :, -1] == 0).all()
