"""What the page of a head over training shows beyond the View, as a value, and its form in the address."""

from dataclasses import dataclass, replace
from typing import Annotated

from headscope.analysis.measures.head_measures import MEASURES
from headscope.app.view.codec import PageState, Word, counted
from headscope.app.view.spelling import read_pin, spell_pin
from headscope.app.wire.strip import Pin

MOST_STEPS = 10**9
MOST_MEASURES = 4


def _step(text: str) -> int:
    return max(0, min(int(text), MOST_STEPS))


def _measures(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",", MOST_MEASURES)[:MOST_MEASURES]))
    if not set(names) <= set(MEASURES):
        raise ValueError(text)
    return names


@dataclass(frozen=True, slots=True)
class TrainingView(PageState):
    """What it shows, but for checkpoint and head."""

    sentence: Annotated[int, counted()] = 0
    """Which of those that were watched."""
    step: Annotated[int | None, Word(_step)] = None
    """Of the snapshot; None: the last."""
    measures: Annotated[tuple[str, ...], Word(_measures, lambda names: ",".join(names) or None)] = ()
    """Whose curves are drawn; none: those that tell most of such a head."""
    pin: Annotated[Pin | None, Word(read_pin, spell_pin)] = None
    """The token of the watched sentence that stays selected."""

    def anew(self) -> "TrainingView":
        """The same for another checkpoint, whose tokens are others."""
        return replace(self, pin=None)
