"""The page that compares models."""

import pytest

from headscope.app.view.compare_state import SHOWS
from tests.app.page_tools import press, sent, settle, shown


def drawn(page) -> list[str]:
    """The components on the page, by their names."""
    return [each.proto.component_name for each in page.get("bidi_component")]


def texts(page) -> str:
    """All plain text on the page."""
    return "\n".join(each.value for each in [*page.text, *page.caption])


@pytest.mark.parametrize("view", SHOWS)
def test_every_view_opens_with_an_answer(open_app, view):
    page = open_app("compare", **{"c.shows": view})
    assert "left out" not in texts(page)
    assert view in ("layers", "corpus") or "Nothing to show" not in " ".join(each.value for each in page.markdown)


def test_it_opens_on_the_translations_of_two(open_app):
    page = open_app("compare")
    found = sent(page, "headscope_versions")
    assert [version["letter"] for version in found["versions"]] == ["A", "B"]
    assert [version["name"] for version in found["versions"]] == ["toy", "other"]
    assert found["facts"] == "All find the same translation."
    assert page.title[0].value == "How do they translate it?"


def test_a_change_is_added_by_a_click_and_stands_in_the_address(open_app):
    page = open_app("compare", kind="cross", layer="1", head="2")
    press(page, "add Without head cross 1.2")
    assert shown(page).compare.others == ("other", "toy:without=cross.1.2")
    assert page.query_params["c.others"] == "other|toy:without=cross.1.2"
    found = sent(page, "headscope_versions")
    assert found["versions"][2]["name"] == "toy, without cross 1.2"
    assert len(found["versions"][0]["log_probs"]) == 3
    assert found["versions"][0]["log_probs"][0] == found["versions"][0]["log_probs"][1]
    assert found["versions"][0]["log_probs"][0] != found["versions"][0]["log_probs"][2]


def test_heads_stand_side_by_side_with_their_difference(open_app):
    page = open_app(
        "compare",
        **{"c.shows": "heads", "c.others": "toy:uniform=cross.1.1", "kind": "cross", "layer": "1", "head": "1"},
    )
    maps = [each for each in drawn(page) if each == "headscope_head_map"]
    assert len(maps) == 3
    state = shown(page).compare
    assert state.others == ("toy:uniform=cross.1.1",)
    page.session_state["view-compare.match"] = "here"
    settle(page)


def test_what_cannot_be_compared_is_said_in_a_line(open_app):
    page = open_app("compare", **{"c.others": "toy:without=cross.9.1|gone|other@40"})
    said = texts(page)
    assert "toy, without cross 9.1 is left out: there is no head cross 9.1" in said
    assert "gone is left out: there is no checkpoint 'gone' here" in said
    assert "other, update 40 is left out: no weights of update 40 lie with other." in said
    assert "Choose something to compare with." in said
