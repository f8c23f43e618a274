"""Presenter mode: what is left of a page, and where its keys lead."""

from dataclasses import replace

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.app.view.presenter import Walk, walks
from headscope.app.view.state import Pin, View
from tests.app.page_tools import SENTENCE, sent

VIEW = View("toy", SENTENCE, layer=1)


@pytest.fixture(scope="module")
def found(translator) -> dict[str, Walk]:
    maps = attention_maps(translator, SENTENCE)
    return {walk.what: walk for walk in walks(translator.model.config, maps)}


def test_heads_and_layers_end_where_the_model_ends(found):
    assert found["head"].step(VIEW, 1) == replace(VIEW, head=1)
    assert found["head"].step(replace(VIEW, head=1), 1) == replace(VIEW, head=1)
    assert found["head"].step(replace(VIEW, head=1, kind="encoder"), 1).head == 2
    assert found["head"].step(VIEW, -1) == VIEW
    assert [found["layer"].step(VIEW, by).layer for by in (-1, 1)] == [0, 2]
    assert found["layer"].step(replace(VIEW, layer=2), 1).layer == 2
    assert found["layer"].step(replace(VIEW, kind="encoder"), 1).layer == 1


def test_kinds_of_attention_go_round_and_layers_fit(found):
    kind = found["attention"]
    view = replace(VIEW, layer=2, head=1)
    assert [view := kind.step(view, 1), kind.step(view, 1).kind] == [replace(VIEW, kind="encoder", head=1), "decoder"]
    assert kind.step(VIEW, -1).kind == "decoder"
    assert kind.step(kind.step(VIEW, 1), -1).kind == "cross"


def test_tokens_from_the_first_source_piece_to_the_last_of_the_output(found, translator):
    token, maps = found["token"], attention_maps(translator, SENTENCE)
    assert token.step(VIEW, 1).pin == Pin("output", 0)
    assert token.step(replace(VIEW, kind="encoder"), -1).pin == Pin("source", 0)
    view = replace(VIEW, pin=Pin("source", 0))
    seen = [view.pin]
    while (further := token.step(view, 1)) != view:
        view = further
        seen.append(view.pin)
    assert len(set(seen)) == len(maps.source) + len(maps.predicts)
    assert view.pin == Pin("output", len(maps.predicts) - 1)
    assert token.step(replace(VIEW, pin=Pin("output", 0)), -1).pin == Pin("source", len(maps.source) - 1)
    assert token.step(replace(VIEW, pin=Pin("output", 999)), 1).pin == Pin("output", 0)


def test_keys_say_what_they_do(found):
    assert [walk.hint for walk in found.values()] == ["K k attention", "← → head", "↑ ↓ layer", "Shift ← → token"]
    assert Walk("step", "j", "k", lambda view, by: view).hint == "j k step"


@pytest.mark.parametrize("view", ["head", "overview", "what_if"])
def test_nothing_is_left_but_title_sentence_and_picture(open_app, view):
    page = open_app(view, present="1")
    assert page.title
    assert sent(page, "headscope_strip")["source"]["text"] == SENTENCE
    assert sent(page, "headscope_strip")["link"] is None
    keys = sent(page, "headscope_keys")
    assert keys["hints"] == ["K k attention", "← → head", "↑ ↓ layer", "Shift ← → token", "Page ↑ ↓ page"]
    assert {"ArrowLeft", "ArrowDown", "Shift+ArrowRight", "Escape"} <= set(keys["handled"])
    for controls in (page.selectbox, page.text_area, page.number_input, page.button, page.expander, page.sidebar):
        assert len(controls) == 0
    assert not page.get("segmented_control")
    assert not page.get("button_group")


def test_the_button_enters_and_the_address_says_so(open_app):
    page = open_app()
    assert "present" not in page.query_params
    next(button for button in page.button if button.label == "Present").click().run()
    assert not page.exception
    assert page.query_params["present"] == "1"
    assert sent(page, "headscope_keys")
    with pytest.raises(AssertionError):
        sent(open_app(present="yes"), "headscope_keys")


def test_a_problem_can_be_left(open_app):
    page = open_app(present="1", checkpoint="none")
    assert page.container(key="problem")
    assert sent(page, "headscope_keys")["handled"] == ["PageUp", "PageDown", "Escape"]


def test_every_turn_is_another(open_app):
    page = open_app(present="1")
    first = sent(page, "headscope_keys")["turn"]
    page.run()
    assert sent(page, "headscope_keys")["turn"] == first + 1
