"""The head that comes back from the wall."""

import pytest

from headscope.analysis.records.heads import Head
from headscope.app.components.wall.wall import as_head


@pytest.mark.parametrize(
    ("value", "head"),
    [
        ({"layer": 1, "head": 0}, Head("cross", 1, 0)),
        ({"layer": -1, "head": 0}, None),
        ({"layer": True, "head": 0}, None),
        ({"layer": 1.0, "head": 0}, None),
        ({"layer": 1}, None),
        ("1.1", None),
        (None, None),
    ],
)
def test_what_a_browser_sends_is_checked(value, head):
    assert as_head("cross", value) == head
