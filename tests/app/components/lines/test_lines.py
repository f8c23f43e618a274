"""The head that comes back from the line view."""

import pytest

from headscope.app.components.lines.lines import as_toggled


@pytest.mark.parametrize(
    ("value", "head"),
    [({"head": 3}, 3), ({"head": -1}, None), ({"head": True}, None), ({"head": "3"}, None), ({}, None), (None, None)],
)
def test_what_a_browser_sends_is_checked(value, head):
    assert as_toggled(value) == head
