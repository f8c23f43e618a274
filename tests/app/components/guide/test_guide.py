"""The stop of the tour that comes back."""

import pytest

from headscope.app.components.guide.guide import as_stop


@pytest.mark.parametrize(
    ("value", "stop"),
    [({"stop": 1}, 1), ({"stop": 5}, 5), ({"stop": 0}, 0), ({"stop": 6}, 0), ({"stop": "1"}, 0), (None, 0), ([1], 0)],
)
def test_what_a_browser_sends_is_checked(value, stop):
    assert as_stop(value, 5) == stop
