"""Settings of the search on its page."""

import re

from headscope.app.view.state import to_query
from tests.app.page_tools import lanes, nodes, shown


def test_settings_are_searched_at_once(open_app, translator):
    page = open_app("search")
    page.get_by_key("search-beam").set_value(2).run()
    page.get_by_key("view-search.n_best").set_value(2).run()
    page.get_by_key("view-search.kind").set_value("power").run()
    page.get_by_key("view-search.longest").set_value(5).run()
    assert not page.exception
    (lane,) = lanes(page)
    assert len(lane["found"]) == 2
    assert len(lane["steps"]) == 5
    assert not lane["found"][0]["finished"], "the best one that was cut off, and said to be so"
    assert lane["how"] == "beam 2, length penalty 0.6 (power), 2 best"
    assert page.query_params == to_query(shown(page))
    page.get_by_key("view-search.longest").set_value(None).run()
    assert not page.exception
    assert shown(page).search.longest is None


def test_a_narrower_beam_returns_fewer(open_app):
    page = open_app("search", beam="4", n_best="4")
    page.get_by_key("search-beam").set_value(2).run()
    assert not page.exception
    assert len(lanes(page)[0]["found"]) == 2


def test_a_and_b_side_by_side(open_app):
    page = open_app("search", beam="4")
    page.get_by_key("view-search.other").set_value(True).run()
    assert not page.exception
    a, b = lanes(page)
    assert (b["how"], b["closable"], a["closable"]) == ("beam 1, length penalty 0.6", True, False)
    assert b["parts"] is not None
    assert f"other hypotheses from step {b['parts'] + 1} on" in b["note"]
    page.get_by_key("view-search.other.method").set_value("sample").run()
    page.get_by_key("view-search.other.samples").set_value(3).run()
    page.get_by_key("view-search.other.seed").set_value(4).run()
    assert not page.exception
    assert lanes(page)[1]["how"] == "3 samples, temperature 1, seed 4, length penalty 0.6"
    assert len(lanes(page)[1]["found"]) == 3
    again = open_app("search", **page.query_params)
    assert lanes(again) == lanes(page)


def test_words_that_must_and_must_not_appear(open_app):
    page = open_app("search")
    free = lanes(page)[0]["found"][0]["text"]
    word = free.split()[0]
    page.get_by_key("view-search.must_contain").set_value(" Jeden |  Jeden").run()
    page.get_by_key("view-search.must_not_contain").set_value(word).run()
    assert not page.exception
    (lane,) = lanes(page)
    found = re.findall(r"\w+", lane["found"][0]["text"])
    assert "Jeden" in found
    assert word not in found
    assert lane["how"] == f"beam 4, length penalty 0.6, with 'Jeden', without '{word}'"
    assert any(node["forced"] for node in nodes(lane))
    assert (page.query_params["must"], page.query_params["must_not"]) == ("Jeden", word)
    assert lanes(open_app("search", **page.query_params)) == lanes(page)
    page.get_by_key("view-search.other").set_value(True).run()
    assert lanes(page)[1]["found"][0]["text"] == free, "B begins as the same search without the words"
    page.get_by_key("view-search.other.must_not_contain").set_value("Jeden").run()
    assert lanes(page)[1]["how"] == "beam 4, length penalty 0.6, without 'Jeden'"


def test_words_that_are_not_found_are_said(open_app):
    page = open_app("search", must="Jeden Abend", longest="2", mode="exact")
    assert lanes(page)[0]["found"] == []
    assert lanes(page)[0]["ended"].startswith("No translation was found that has 'Jeden Abend'")
    assert any(text.value.startswith("No translation was found that has 'Jeden Abend'") for text in page.text)
    refused = open_app("search", must="a", must_not="a")
    assert any("'a' must appear and 'a' must not" in text.value for text in refused.text)
