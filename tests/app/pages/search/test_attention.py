"""The attention beside the tree of a search."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import record as attention_record
from headscope.analysis.capture.pairs import given_pair
from headscope.analysis.search.searching import search_record
from tests.app.page_tools import SENTENCE, sent, shown


def test_the_attention_of_the_selected_candidate_is_that_of_a_forced_pass(open_app, translator):
    page = open_app("search", node="a.3.5", layer="2", head="2")
    record = search_record(translator, SENTENCE)
    path = record.trace.path(2, 4)
    maps = attention_record(translator, given_pair(translator, translator.source(SENTENCE), path))
    found = sent(page, "headscope_attend")
    np.testing.assert_allclose(found["cross"], maps.cross[1][1][2], atol=1e-4)
    np.testing.assert_allclose(found["decoder"], maps.decoder[1][1][2, :3], atol=1e-4)
    assert found["predicts"]["full"] == record.label(path[2]).full
    assert [label["full"] for label in found["reads"]] == ["<s>", *(record.label(piece).full for piece in path[:2])]
    assert sent(page, "headscope_beam_tree")["told"] == {"lane": "a", "step": 2, "index": 4}


def test_the_end_of_a_hypothesis_has_attention_too(open_app, translator):
    record = search_record(translator, SENTENCE)
    step = len(record.trace.hypotheses[0].pieces)
    index = next(i for i, c in enumerate(record.trace.steps[step].candidates) if c.piece == record.end)
    found = sent(open_app("search", node=f"a.{step + 1}.{index + 1}"), "headscope_attend")
    assert found["predicts"]["full"] == "</s>"
    assert sum(found["cross"]) == pytest.approx(1, abs=1e-3)


def test_a_hypothesis_is_opened_in_the_attention_browser_and_left_again(open_app, translator):
    page = open_app("search", node="a.2.3", kind="encoder")
    path = search_record(translator, SENTENCE).trace.path(1, 2)
    next(button for button in page.button if "attention browser" in button.label).click().run()
    assert not page.exception
    assert page.title[0].value == "Where does this head look?"
    view = shown(page)
    assert (view.target, view.kind, view.pin.index) == (path, "cross", 1)
    assert len(sent(page, "headscope_strip")["output"]["labels"]) == len(path)
    assert sent(page, "headscope_strip")["output"]["cut_off"]
    assert any("a hypothesis chosen in the search" in text.value for text in page.text)
    other = open_app("overview", **page.query_params)
    assert len(sent(other, "headscope_strip")["output"]["labels"]) == len(path)
    next(button for button in other.button if button.label == "Back to the best translation").click().run()
    assert not other.exception
    assert shown(other).target is None
    assert sent(other, "headscope_strip")["output"]["text"] == search_record(translator, SENTENCE).text


def test_a_hypothesis_is_explained_as_it_stands(open_app, translator):
    page = open_app("search", node="a.2.3")
    path = search_record(translator, SENTENCE).trace.path(1, 2)
    next(button for button in page.button if button.label == "Why this piece?").click().run()
    assert not page.exception
    assert page.title[0].value == "Why did the model say this?"
    view = shown(page)
    assert (view.target, view.pin.side, view.pin.index) == (path, "output", 1)
    assert len(sent(page, "headscope_why")["predicts"]) == len(path)
