"""Keys of the whole page, and what was pressed."""

from headscope.app.components.component import Component
from headscope.app.wire.keys import Keys

KEYS = Component("keys", Keys)


def as_keys(value: object) -> list[str]:
    """What a browser sent, as names of keys, in order; whatever else there is is left out."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
