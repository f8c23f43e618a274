"""One head of every model."""

import json

import pytest

OTHERS = {"c.shows": "heads", "kind": "cross", "layer": "2", "head": "1"}


def titles(page) -> list[str]:
    """Of the maps that are drawn."""
    drawn = (each.proto for each in page.get("bidi_component"))
    return [json.loads(proto.json)["title"] for proto in drawn if proto.component_name == "headscope_head_map"]


def test_two_models_have_their_difference_beside_them(open_app):
    page = open_app("compare", **OTHERS, **{"c.others": "toy:uniform=encoder.1.1"})
    first, second, less = titles(page)
    assert first == "A: cross 2.1"
    assert second.startswith("B: cross 2.1, divergence 0.")
    assert less == "B less A"


def test_the_most_alike_head_of_the_same_weights_is_the_head_itself(open_app):
    page = open_app("compare", **OTHERS, **{"c.match": "here"})
    assert titles(page) == ["A: cross 2.1", "B: cross 2.1, divergence 0.00", "B less A"]


def test_three_models_have_two_differences(open_app):
    page = open_app("compare", **OTHERS, **{"c.others": "other|toy:offset=2", "unit": "words"})
    assert [title.split(":")[0] for title in titles(page)] == ["A", "B", "C", "B less A", "C less A"]


@pytest.mark.parametrize("match", ["corpus"])
def test_without_a_gallery_nothing_is_matched_and_that_is_said(open_app, match):
    page = open_app("compare", **OTHERS, **{"c.match": match})
    assert any(text.value.startswith("B is left out: no gallery of these weights") for text in page.text)
    assert titles(page) == ["A: cross 2.1"]
