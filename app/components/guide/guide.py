"""The opening of a page and the tour, and where the visitor wants to go in it."""

from collections.abc import Mapping

from headscope.app.components.component import Component
from headscope.app.wire.guide import Guide

GUIDE = Component("guide", Guide)


def as_stop(value: object, stops: int) -> int:
    """What a browser sent, as a stop of the tour, counted from 1; 0: none."""
    stop = value.get("stop") if isinstance(value, Mapping) else None
    return stop if type(stop) is int and 0 < stop <= stops else 0
