"""The controls that all pages share."""

from headscope.app.view.state import View, to_query
from tests.app.page_tools import sent, shown


def test_sentence_checkpoint_and_search_settings(open_app):
    page = open_app(pin="source.2")
    page.get_by_key("view-source").set_value("My neighbour keeps bees and gives us honey.").run()
    page.get_by_key("view-checkpoint").set_value("other").run()
    page.get_by_key("view-beam").set_value(2).run()
    page.get_by_key("view-length_penalty").set_value(-0.1 - 0.2).run()
    assert not page.exception
    assert shown(page) == View("other", "My neighbour keeps bees and gives us honey.", 2, -0.3, layer=2)
    facts = [fact["text"] for fact in sent(page, "headscope_strip")["facts"]]
    assert "beam 2, length penalty -0.3" in facts
    assert page.query_params == to_query(shown(page))
