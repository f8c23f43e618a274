"""The line view, and the head that is drawn there or left out."""

from collections.abc import Mapping

from headscope.app.components.component import Component
from headscope.app.wire.lines import Lines

LINES = Component("lines", Lines, ("components/base/pane.css",))


def as_toggled(value: object) -> int | None:
    """What a browser sent, as the index of a head; whether the layer has it is for the View to check."""
    head = value.get("head") if isinstance(value, Mapping) else None
    return head if type(head) is int and head >= 0 else None
