"""What the page "Runs" shows beyond the View, as a value, and its form in the address: pure, re-validated."""

from dataclasses import dataclass
from typing import Annotated

from headscope.app.view.codec import PageState, Word, whole

MOST_SHOWN = 6
"""Runs that are drawn beside each other: as many as lines can be told apart."""
LONGEST = 100
MOST_SAMPLES = 1000


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in text.split(",") if name))[:MOST_SHOWN]
    if any(len(name) > LONGEST for name in names):
        raise ValueError(text)
    return names


@dataclass(frozen=True, slots=True)
class RunsView(PageState):
    """What the page alone shows."""

    shown: Annotated[tuple[str, ...], Word(_names, lambda names: ",".join(names) or None)] = ()
    """Runs by name, the one that can be stopped first; none: the newest."""
    sample: Annotated[int, whole(0, MOST_SAMPLES, silent=True)] = 0
    """Which development line is followed."""
