"""The token that comes back from the sentence strip."""

import pytest

from headscope.app.components.strip.strip import as_pin
from headscope.app.wire.strip import Pin


@pytest.mark.parametrize(
    ("value", "pin"),
    [
        ({"token": {"side": "output", "index": 3}}, Pin("output", 3)),
        ({"token": None}, None),
        (None, None),
        ("token", None),
        ({"token": "output"}, None),
        ({"token": {"side": "nowhere", "index": 3}}, None),
        ({"token": {"side": ["output"], "index": 3}}, None),
        ({"token": {"side": "source", "index": -1}}, None),
        ({"token": {"side": "source", "index": True}}, None),
        ({"token": {"side": "source", "index": 1.5}}, None),
        ({"token": {"side": "source"}}, None),
    ],
)
def test_what_a_browser_sends_is_checked(value, pin):
    assert as_pin(value) == pin
