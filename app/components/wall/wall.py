"""The wall of heads, and the head that is chosen there."""

from collections.abc import Mapping

from headscope.analysis.records.heads import Head
from headscope.app.components.component import Component
from headscope.app.wire.wall import Wall
from headscope.model.sites import AttentionKind

WALL = Component("wall", Wall, ("components/base/scale.css",))


def as_head(kind: AttentionKind, value: object) -> Head | None:
    """What a browser sent, as a head; whether the model has it is for the View to check."""
    if not isinstance(value, Mapping):
        return None
    layer, head = value.get("layer"), value.get("head")
    if type(layer) is not int or type(head) is not int or min(layer, head) < 0:
        return None
    return Head(kind, layer, head)
