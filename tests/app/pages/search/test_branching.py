"""Branches of a search, and the way back."""

from headscope.app.view.search_state import Place
from headscope.app.view.state import to_query
from tests.app.page_tools import lanes, nodes, press, sent, shown


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
