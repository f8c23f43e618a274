"""What goes to the listener for keys."""

from headscope.app.wire.encoding import as_message
from headscope.app.wire.keys import keys


def test_one_more_key_leaves():
    sent = as_message(keys(["a"], ["x"], 1))
    assert sent == {"handled": ["a", "Escape"], "leave": "Escape", "hints": ["x"], "turn": 1}
