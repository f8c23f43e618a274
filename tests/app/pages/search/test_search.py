"""The page of the search, run without a browser."""

import json
from typing import Any

import numpy as np
import pytest

from headscope.analysis.capture.attention import record as attention_record
from headscope.analysis.capture.pairs import given_pair
from headscope.analysis.search.exact import exact_search
from headscope.analysis.search.searching import search_record
from headscope.app.view.search_state import Place
from headscope.app.view.state import View, to_query
from headscope.app.wire.beam_tree import NodeRow
from tests.app.page_tools import SENTENCE, sent
from tests.toys import SENTENCES


def nodes(lane: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that go to the browser, by name."""
    return [dict(zip(NodeRow._fields, row, strict=True)) for row in lane["nodes"]]


def lanes(page) -> list[dict[str, Any]]:
    return sent(page, "headscope_beam_tree")["lanes"]


def shown(page) -> View:
    return page.session_state["view"]


def press(page, key: str):
    page.get_by_key(key).click().run()
    assert not page.exception
    return page


def test_the_search_is_on_the_page(open_app, translator):
    page = open_app("search")
    assert page.title[0].value == "How was it found?"
    (lane,) = lanes(page)
    record = search_record(translator, SENTENCE)
    assert lane["found"][0]["text"] == record.text == "Wegen des Nebels konnten wir die Berge nicht sehen."
    assert len(lane["nodes"]) == sum(len(step.candidates) for step in record.trace.steps)
    assert sent(page, "headscope_beam_tree")["told"] == {"lane": "a", "step": 0, "index": 0}


def test_settings_are_searched_at_once(open_app, translator):
    page = open_app("search")
    page.get_by_key("search-a-beam").set_value(2).run()
    page.get_by_key("search-a-n-best").set_value(2).run()
    page.get_by_key("search-a-kind").set_value("power").run()
    page.get_by_key("search-a-longest").set_value(5).run()
    assert not page.exception
    (lane,) = lanes(page)
    assert len(lane["found"]) == 2
    assert len(lane["steps"]) == 5
    assert not lane["found"][0]["finished"], "the best one that was cut off, and said to be so"
    assert lane["how"] == "beam 2, length penalty 0.6 (power), 2 best"
    assert page.query_params == to_query(shown(page))
    page.get_by_key("search-a-longest").set_value(None).run()
    assert not page.exception
    assert shown(page).search.longest is None


def test_a_narrower_beam_returns_fewer(open_app):
    page = open_app("search", beam="4", n_best="4")
    page.get_by_key("search-a-beam").set_value(2).run()
    assert not page.exception
    assert len(lanes(page)[0]["found"]) == 2


def test_a_and_b_side_by_side(open_app):
    page = open_app("search", beam="4")
    page.get_by_key("search-b").set_value(True).run()
    assert not page.exception
    a, b = lanes(page)
    assert (b["how"], b["closable"], a["closable"]) == ("beam 1, length penalty 0.6", True, False)
    assert b["parts"] is not None
    assert b["note"].startswith(f"parts from A at step {b['parts'] + 1}")
    page.get_by_key("search-b-method").set_value("sample").run()
    page.get_by_key("search-b-samples").set_value(3).run()
    page.get_by_key("search-b-seed").set_value(4).run()
    assert not page.exception
    assert lanes(page)[1]["how"] == "3 samples, temperature 1, seed 4, length penalty 0.6"
    assert len(lanes(page)[1]["found"]) == 3
    again = open_app("search", **page.query_params)
    assert lanes(again) == lanes(page)


def test_the_attention_of_the_selected_candidate_is_that_of_a_forced_pass(open_app, translator):
    page = open_app("search", node="a.3.5", layer="2", head="2")
    record = search_record(translator, SENTENCE)
    path = record.trace.path(2, 4)
    maps = attention_record(
        translator, translator.source(SENTENCE), given_pair(translator, translator.source(SENTENCE), path).target
    )
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
    assert len(sent(page, "headscope_strip")["output"]["labels"]) == len(path) + 1
    assert any("a hypothesis chosen in the search" in text.value for text in page.text)
    other = open_app("overview", **page.query_params)
    assert len(sent(other, "headscope_strip")["output"]["labels"]) == len(path) + 1
    next(button for button in other.button if button.label == "Back to the best translation").click().run()
    assert not other.exception
    assert shown(other).target is None
    assert sent(other, "headscope_strip")["output"]["text"] == search_record(translator, SENTENCE).text


def test_another_sentence_has_no_target_and_no_branch(open_app):
    page = open_app("search", target="5.6", branches="7", node="1.1.1")
    page.get_by_key("view-source").set_value("How much does a ticket cost?").run()
    assert not page.exception
    assert (shown(page).target, shown(page).search.branches, shown(page).search.node) == (None, (), None)


def test_a_piece_is_forced_forbidden_and_taken_back(open_app, translator):
    page = open_app("search")
    (a,) = lanes(page)
    following = [node for node in nodes(a) if node["step"] == 1 and node["parent"] == 0]
    other = next(node["piece"] for node in following if not node["winner"])
    page.get_by_key("search-piece").set_value(str(other))
    press(page, "search-force")
    branch = lanes(page)[1]
    piece = shown(page).search.branches[0].prefix
    assert [node["forced"] for node in nodes(branch) if node["piece"] == piece[1] and node["step"] == 1] == [1]
    assert branch["parts"] is not None
    assert "score −" in branch["note"]
    assert shown(page).search.node == Place(
        "1", 1, next(n["index"] for n in nodes(branch) if n["step"] == 1 and n["forced"])
    )
    told = sent(page, "headscope_beam_tree")
    assert (told["told"]["lane"], told["turn"]) == ("1", 2)

    page.get_by_key("search-piece").set_value("e")
    press(page, "search-forbid")
    assert [lane["name"] for lane in lanes(page)] == ["a", "1", "2"]
    assert shown(page).search.branches[1].prefix == piece
    press(page, "search-undo")
    press(page, "search-undo")
    assert lanes(page) == [a]
    assert page.get_by_key("search-undo").disabled


def test_a_beginning_is_edited(open_app):
    page = open_app("search")
    page.get_by_key("search-beginning").set_value("Jeden Abend")
    press(page, "search-begin")
    branch = lanes(page)[1]
    assert branch["found"][0]["text"].startswith("Jeden Abend")
    assert page.query_params == to_query(shown(page))
    assert lanes(open_app("search", **page.query_params)) == lanes(page)


def test_what_cannot_be_searched_is_said_and_loses_nothing(open_app):
    page = open_app("search")
    page.get_by_key("search-piece").set_value("<b>nonsense</b>")
    press(page, "search-force")
    assert len(lanes(page)) == 1
    assert any("has no piece '<b>nonsense</b>'" in text.value for text in page.text)
    page = open_app("search", branches="7,8,9,10")
    page.get_by_key("search-piece").set_value("der")
    press(page, "search-force")
    assert len(lanes(page)) == 5
    assert any("4 branches stand side by side: close one first" in text.value for text in page.text)
    broken = open_app("search", branches="99999")
    assert "Not searched: there is no piece 99999" in lanes(broken)[1]["ended"]


def test_the_most_probable_translation(open_app, translator):
    source = SENTENCES[3][0]
    page = open_app("search", mode="exact", source=source)
    found = exact_search(translator, source)
    assert any(text.value.lower() == f"{found.verdict}." for text in page.text)
    rows = page.dataframe[0].value
    assert list(rows["translation"]) == [found.beam_text, found.text, "(nothing)"]
    assert list(rows["log p"]) == pytest.approx(
        [found.beam.total, found.result.best.total, found.result.empty], abs=1e-3
    )


def test_the_most_typical_sample(open_app):
    page = open_app("search")
    page.get_by_key("view-search.mode").set_value("mbr").run()
    page.get_by_key("view-search.likeness").set_value("bleu").run()
    assert not page.exception
    assert any(text.value.startswith("Most like all 64 samples: ") for text in page.text)
    rows = page.dataframe[0].value
    assert rows["drawn"].sum() == 64
    assert list(rows["expected utility"]) == sorted(rows["expected utility"], reverse=True)
    assert page.query_params["likeness"] == "bleu"


def test_files(open_app, translator):
    from headscope.app.pages.search.lanes import lanes as searched
    from headscope.app.pages.search.saving import _json
    from headscope.app.view.session import sentence, workbench

    page = open_app("search", branches="7")
    assert {button.label for button in page.get("download_button")} >= {"json", "csv", "svg"}
    first, branch = searched(workbench(), sentence(shown(page)), shown(page))
    content = json.loads(_json(branch.record, first.record))
    assert content["steps"][0]["candidates"]
    assert content["free"]["text"] == first.record.text


def test_presented(open_app):
    page = open_app("search", present="1")
    assert sent(page, "headscope_beam_tree")["present"]
    assert "Shift ← → head" in sent(page, "headscope_keys")["hints"]
    assert not page.number_input


@pytest.mark.parametrize("source", ["house", "How much does a ticket cost? " * 20])
def test_one_word_and_a_long_text(open_app, source):
    page = open_app("search", source=source, beam="2")
    assert lanes(page)[0]["nodes"]


def test_a_sentence_that_cannot_be_searched(open_app):
    page = open_app("search", source="house " * 600)
    assert any("512 are the most" in text.value for text in page.text)
