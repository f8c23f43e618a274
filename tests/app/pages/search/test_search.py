"""The page of the search, run without a browser."""

import pytest

from headscope.analysis.search.searching import search_record
from tests.app.page_tools import SENTENCE, lanes, sent, shown


def test_the_search_is_on_the_page(open_app, translator):
    page = open_app("search")
    assert page.title[0].value == "How was it found?"
    (lane,) = lanes(page)
    record = search_record(translator, SENTENCE)
    assert lane["found"][0]["text"] == record.text == "Wegen des Nebels konnten wir die Berge nicht sehen."
    assert len(lane["nodes"]) == sum(len(step.candidates) for step in record.trace.steps)
    assert sent(page, "headscope_beam_tree")["told"] == {"lane": "a", "step": 0, "index": 0}


def test_another_sentence_has_no_target_and_no_branch(open_app):
    page = open_app("search", target="5.6", branches="7", node="1.1.1")
    page.get_by_key("view-source").set_value("How much does a ticket cost?").run()
    assert not page.exception
    assert (shown(page).target, shown(page).search.branches, shown(page).search.node) == (None, (), None)


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
