"""The page of queries and keys."""

from headscope.analysis.capture.attention import attention_maps
from tests.app.page_tools import SENTENCE, sent


def test_it_opens_with_the_head_in_view_and_a_query_that_decides(open_app, translator):
    page = open_app("inside")
    assert page.title[0].value == "How does this head choose?"
    data = sent(page, "headscope_inside")
    assert data["title"] == "Cross-attention, layer 3, head 1"
    assert (len(data["rows"]), len(data["columns"])) == tuple(
        len(sent(page, "headscope_strip")[side]["labels"]) for side in ("output", "source")
    )
    words = attention_maps(translator, SENTENCE)
    assert data["first"] == int(words.log_probs.argmin()) > 0
    assert "least sure of the piece" in data["why"]
    page.get_by_key("view-kind").set_value("encoder").run()
    page.get_by_key("view-head").set_value(2).run()
    assert not page.exception
    assert sent(page, "headscope_inside")["title"] == "Encoder self-attention, layer 2, head 3"


def test_words_are_shown_as_pieces_and_nothing_is_hidden(open_app):
    page = open_app("inside", unit="words", special="hidden", pin="source.2")
    strip = sent(page, "headscope_strip")
    assert len(strip["source"]["labels"]) == len(sent(page, "headscope_inside")["columns"]) > len(SENTENCE.split()) + 2
    assert strip["pin"] is None, "the second word is not the second piece"
    assert "belong to pieces" in page.caption[0].value
    assert not open_app("inside").caption
