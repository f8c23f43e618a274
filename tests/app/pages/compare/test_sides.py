"""What stands side by side."""

from tests.app.page_tools import sent, settle, shown


def names(page) -> list[str]:
    """The models whose translations are drawn."""
    return [version["name"] for version in sent(page, "headscope_versions")["versions"]]


def test_without_a_choice_another_checkpoint_of_the_languages_stands_there(open_app):
    page = open_app("compare")
    assert shown(page).compare.others is None
    assert names(page) == ["toy", "other"]
    assert names(open_app("compare", checkpoint="other")) == ["other", "toy"]


def test_what_is_typed_is_read_and_what_makes_no_sense_is_said(open_app):
    page = open_app("compare", **{"c.others": "toy:positionless"})
    page.get_by_key("view-compare.others").set_value(["toy:positionless", "toy:offset=x"])
    settle(page)
    assert shown(page).compare.others == ("toy:positionless",)
    assert any("Not taken: offset=x" in text.value for text in page.text)
    assert names(page) == ["toy", "toy, no positions"]


def test_there_are_four_at_most_and_none_twice(open_app):
    others = "toy:offset=1|toy:offset=2|toy:offset=3|toy:offset=4"
    assert len(names(open_app("compare", **{"c.others": others}))) == 4
    assert names(open_app("compare", **{"c.others": "toy|other"})) == ["toy", "other"]
