"""The slider over training with its small maps, and the moment that is chosen there."""

from headscope.app.components.component import Component
from headscope.app.wire.course import Course

COURSE = Component("course", Course)


def as_moment(value: object, count: int) -> int | None:
    """What a browser sent, as the index of one of so many moments; None: it is none."""
    return value if type(value) is int and 0 <= value < count else None
