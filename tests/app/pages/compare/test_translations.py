"""The translations of all models, and files of them."""

import numpy as np

from headscope.app.wire.chart import largest
from tests.app.page_tools import sent, settle, shown


def test_the_surprise_of_every_token_stands_below(open_app):
    page = open_app("compare", **{"c.others": "toy:positionless"})
    heat = sent(page, "headscope_heat")
    assert heat["y"]["names"] == ["A", "B"]
    assert heat["x"]["names"][-1] == "</s>"
    assert heat["most"] == largest(np.array([heat["most"]]))
    assert not heat["signed"]


def test_whose_translation_is_read_can_be_chosen(open_app):
    page = open_app("compare", **{"c.others": "toy:positionless"})
    before = sent(page, "headscope_heat")["values"]
    page.get_by_key("view-compare.read").set_value(1)
    settle(page)
    assert shown(page).compare.read == 1
    texts = [[word["text"] for word in version["words"]] for version in sent(page, "headscope_versions")["versions"]]
    if texts[0] != texts[1]:
        assert sent(page, "headscope_heat")["values"] != before


def test_they_can_be_saved(open_app):
    page = open_app("compare")
    keys = {each.proto.id.rsplit("-", 1)[-1] for each in page.get("download_button")}
    assert len(keys) >= 2
