"""The keys that come back."""

import pytest

from headscope.app.components.keys.keys import as_keys


@pytest.mark.parametrize(
    ("value", "keys"),
    [(["ArrowLeft", "x"], ["ArrowLeft", "x"]), (["a", 1, None], ["a"]), ("ArrowLeft", []), (None, []), ({"a": 1}, [])],
)
def test_what_a_browser_sends_is_checked(value, keys):
    assert as_keys(value) == keys
