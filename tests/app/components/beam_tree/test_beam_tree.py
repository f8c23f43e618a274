"""What comes back from the trees."""

import pytest

from headscope.app.components.beam_tree.beam_tree import MOST_TYPED, Act, as_act, as_place, as_typed
from headscope.app.wire.beam_tree import Place

LONGEST = 512


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "a.1.1",
        {},
        {"lane": "a"},
        {"lane": "a", "step": "1", "index": 0},
        {"lane": 1, "step": 1, "index": 0},
        {"lane": "a", "step": -1, "index": 0},
        {"lane": "a", "step": True, "index": 0},
    ],
)
def test_what_is_no_place(value):
    assert as_place(value) is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"verb": "eat", "lane": "a", "path": [1]},
        {"verb": "force", "lane": "a", "path": []},
        {"verb": "force", "lane": "a", "path": [1, -2]},
        {"verb": "force", "lane": "a", "path": ["1"]},
        {"verb": "force", "lane": None, "path": [1]},
        {"verb": "force", "lane": "a", "path": [1] * (LONGEST + 1)},
        {"verb": "forbid", "lane": "a", "path": [1.5]},
        {"verb": ["force"], "lane": "a", "path": [1]},
    ],
)
def test_what_is_nothing_to_be_done(value):
    assert as_act(value, longest=LONGEST) is None


def test_places_and_acts():
    assert as_place({"lane": "b", "step": 2, "index": 0}) == Place("b", 2, 0)
    assert as_act({"verb": "force", "lane": "a", "path": [4, 5]}, longest=LONGEST) == Act("force", "a", (4, 5))
    assert as_act({"verb": "close", "lane": "2", "path": []}, longest=LONGEST) == Act("close", "2", ())


def test_what_is_typed():
    assert as_typed("_Ka") == "_Ka"
    assert as_typed(["a"]) == as_typed(None) == ""
    assert as_typed("x" * 999) == "x" * MOST_TYPED
