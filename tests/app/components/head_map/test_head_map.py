"""The weight that comes back from the map of a head."""

import math

import pytest

from headscope.app.components.head_map.head_map import as_set


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"row": 2, "column": 0, "weight": 0.25}, (2, 0, 0.25)),
        ({"row": 2, "column": 0, "weight": 1}, (2, 0, 1.0)),
        ({"row": 2, "column": 0, "weight": 0.123456}, (2, 0, 0.1235)),
        ({"row": -1, "column": 0, "weight": 0.5}, None),
        ({"row": 1.0, "column": 0, "weight": 0.5}, None),
        ({"row": True, "column": 0, "weight": 0.5}, None),
        ({"row": 1, "column": 0, "weight": 1.5}, None),
        ({"row": 1, "column": 0, "weight": math.nan}, None),
        ({"row": 1, "column": 0, "weight": "1"}, None),
        ({"row": 1, "column": 0, "weight": True}, None),
        ({"row": 1, "column": 0}, None),
        ([1, 0, 0.5], None),
        (None, None),
    ],
)
def test_what_a_browser_sends_is_checked(value, found):
    assert as_set(value) == found
