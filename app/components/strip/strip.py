"""The sentence strip, and the token that is pinned there."""

from collections.abc import Mapping

from headscope.app.components.component import Component
from headscope.app.wire.strip import SIDES, Pin, Strip

STRIP = Component("strip", Strip)


def as_pin(value: object) -> Pin | None:
    """What a browser sent, as a token; None: unpinned, or it is none."""
    token = value.get("token") if isinstance(value, Mapping) else None
    if not isinstance(token, Mapping):
        return None
    side, index = token.get("side"), token.get("index")
    if side not in SIDES or type(index) is not int or index < 0:
        return None
    return Pin(side, index)
