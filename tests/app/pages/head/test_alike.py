"""The heads that look where one does."""

import json

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.likeness import likeness
from headscope.analysis.records.heads import Head
from tests.app.page_tools import SENTENCE


def strips(page) -> dict[str, dict]:
    found = [
        json.loads(each.proto.json)
        for each in page.get("bidi_component")
        if each.proto.component_name == "headscope_wall"
    ]
    return {wall["kind"]: wall for wall in found}


@pytest.mark.parametrize(("kind", "others"), [("cross", {"cross": 5, "encoder": 3}), ("decoder", {"decoder": 5})])
def test_the_most_alike_of_each_kind_stand_first(open_app, translator, kind, others):
    found = strips(open_app(kind=kind, layer="2", head="1", special="hidden"))
    assert {kind: len(wall["layers"][0]["tiles"]) for kind, wall in found.items()} == others
    values = likeness(attention_maps(translator, SENTENCE), Head(kind, 1, 0))
    for other, wall in found.items():
        assert wall["small"]
        tiles = [(Head(other, tile["layer"], tile["head"]), tile["value"]) for tile in wall["layers"][0]["tiles"]]
        best = sorted((value for head, value in values.items() if head.kind == other), reverse=True)
        assert [value for _, value in tiles] == pytest.approx(best[: len(tiles)], rel=1e-3)
        assert all(values[head] == pytest.approx(value, rel=1e-3) for head, value in tiles)


def test_there_are_none_in_front_of_a_class(open_app):
    assert strips(open_app(present="1")) == {}
