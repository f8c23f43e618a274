"""Keys of the whole page, instead of controls."""

from collections.abc import Sequence
from dataclasses import dataclass

LEAVE = "Escape"


@dataclass(frozen=True, slots=True)
class Keys:
    """What the component gets."""

    handled: tuple[str, ...]
    """Names of keys as browsers give them, "Shift+" before those that are pressed with it."""
    leave: str
    """The one that leaves."""
    hints: tuple[str, ...]
    """The line below the page says them; `?` hides it."""
    turn: int
    """The browser sends what is pressed next when it hears that this turn is over."""


def keys(handled: Sequence[str], hints: Sequence[str], turn: int) -> Keys:
    """The keys of a page, and the one that leaves."""
    return Keys((*handled, LEAVE), LEAVE, tuple(hints), turn)
