"""What the page "Runs" shows beyond the View, as a value, and its form in the address: pure, re-validated."""

from dataclasses import dataclass
from typing import Annotated

from headscope.analysis.records.heads import Head, read_head
from headscope.app.view.codec import PageState, Word, whole
from headscope.model.errors import HeadscopeError

MOST_SHOWN = 6
"""Runs that are drawn beside each other: as many as lines can be told apart."""
LONGEST = 100
MOST_SAMPLES = 1000
MOST_STEPS = 10**9


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for name in text.split(",") if name))[:MOST_SHOWN]
    if any(len(name) > LONGEST for name in names):
        raise ValueError(text)
    return names


def _head(text: str) -> Head:
    try:
        return read_head(text)
    except HeadscopeError as error:
        raise ValueError(text) from error


def _step(text: str) -> int:
    return max(0, min(int(text), MOST_STEPS))


@dataclass(frozen=True, slots=True)
class RunsView(PageState):
    """What the page alone shows."""

    shown: Annotated[tuple[str, ...], Word(_names, lambda names: ",".join(names) or None)] = ()
    """Runs by name, the one that can be stopped first; none: the newest."""
    sample: Annotated[int, whole(0, MOST_SAMPLES, silent=True)] = 0
    """Which development line is followed."""
    head: Annotated[Head | None, Word(_head, lambda head: head and f"{head.kind}.{head.layer + 1}.{head.head + 1}")] = (
        None
    )
    """Whose attention stands beside its translations; None: the first of the last cross-attention."""
    step: Annotated[int | None, Word(_step, lambda step: None if step is None else str(step))] = None
    """At which update; None: the newest that was kept."""
