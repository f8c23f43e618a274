"""Why every model says it."""

import json


def drawn(page) -> list[dict]:
    """What the pictures were given."""
    found = (each.proto for each in page.get("bidi_component"))
    return [json.loads(proto.json) for proto in found if proto.component_name == "headscope_why"]


def test_all_read_the_same_translation_by_one_method(open_app):
    page = open_app(
        "compare", **{"c.shows": "why", "c.others": "other|toy:without=cross.1.1", "why.method": "saliency"}
    )
    first, same, other = drawn(page)
    assert first["predicts"] == same["predicts"] == other["predicts"]
    assert first["shadings"] == same["shadings"] != other["shadings"]
    assert first["shadings"][0]["title"] == "Saliency"


def test_a_method_that_takes_layers_apart_says_so_of_a_changed_model(open_app):
    page = open_app("compare", **{"c.shows": "why", "c.others": "toy:positionless", "why.method": "ALTI+"})
    assert len(drawn(page)) <= 2
    assert not page.exception
