"""The searches of all models."""

from tests.app.page_tools import lanes


def test_models_that_write_the_same_pieces_stand_in_one_picture(open_app):
    page = open_app("compare", **{"c.shows": "search", "c.others": "other|toy:positionless"})
    found = lanes(page)
    assert [lane["title"] for lane in found] == ["A  toy", "B  other", "C  toy, no positions"]
    assert found[1]["note"] == "the same as A at every step"
    assert found[1]["parts"] is None
    assert not any(lane["closable"] for lane in found)
    drawn = [each for each in page.get("bidi_component") if each.proto.component_name == "headscope_beam_tree"]
    assert len(drawn) == 1
