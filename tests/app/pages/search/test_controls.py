"""Settings of the search on its page."""

from headscope.app.view.state import to_query
from tests.app.page_tools import lanes, shown


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
