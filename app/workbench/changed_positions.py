"""What if tokens stood at other positions? Errors, progress and the shelf are those of `sentences`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from headscope.analysis.records.heads import Head
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.sites import AttentionKind

if TYPE_CHECKING:
    from headscope.analysis.interventions.effects import WhatIf
    from headscope.analysis.interventions.positions import Elsewhere, PositionProbe
    from headscope.model.translator import Translator

How = Literal["exchange", "move", "repeat", "shift", "offset", "swap"]
Sides = Literal["source", "target", "both"]
WHOLE: tuple[How, ...] = ("offset", "swap")
"""Changes of a whole side, or of both; the others are of one token or two."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to positions, as a visitor chooses it."""

    how: How
    sides: Sides
    token: int = 0
    to: int = 0
    """The other token: the one it is exchanged with, or whose position it takes."""
    by: int = 0
    """Positions further on."""
    other: str | None = None
    """The checkpoint whose positions stand in the place of its own."""

    def elsewhere(self) -> "Elsewhere":
        """Where tokens stand then; not of a swap.

        Raises:
            HeadscopeError: a token would stand before the first position.
        """
        from headscope.analysis.interventions.positions import Rearranged, Shifted, exchanged, moved, repeated

        if self.how == "offset":
            return Shifted(self.by, ("source", "target") if self.sides == "both" else (self.sides,))
        side = "target" if self.sides == "target" else "source"
        if self.how == "shift":
            return Rearranged({self.token: self.token + self.by}, (side,))
        return {"exchange": exchanged, "move": moved, "repeat": repeated}[self.how](self.token, self.to, side)


def changed(bench: Workbench, sentence: Sentence, change: Change, *, progress: Progress | None = None) -> "WhatIf":
    """The sentence translated as it is, and with other positions.

    Raises:
        HeadscopeError: a token would stand where there is no position, or the other checkpoint's do not fit.
    """
    if change.how == "swap":
        if change.other is None:
            raise HeadscopeError(
                "no checkpoint here has the same languages and other positions: choose one whose positions to take"
            )

        def swapped(translator: "Translator", other: "Translator") -> "WhatIf":
            from headscope.analysis.interventions.positions import SIDES, Swapped

            sides = SIDES if change.sides == "both" else (change.sides,)
            return _what_if(translator, sentence, Swapped(translator, other, sides), progress)

        return bench.once_with(sentence.checkpoint, change.other, (sentence, change), swapped, progress)
    probe = change.elsewhere()
    return sentences.once(
        bench, sentence, change, lambda translator: _what_if(translator, sentence, probe, progress), progress
    )


def followed(found: "WhatIf", change: Change, kind: AttentionKind) -> dict[Head, float]:
    """Of every head of a kind, whether its attention goes by places (1) or words (−1), where that can be told."""
    from headscope.analysis.interventions.following import followed

    return {} if change.how == "swap" else followed(found.maps_before, found.maps_after, change.elsewhere(), kind)


def _what_if(
    translator: "Translator", sentence: Sentence, probe: "PositionProbe", progress: Progress | None
) -> "WhatIf":
    from headscope.analysis.interventions.effects import what_if
    from headscope.analysis.interventions.positions import within

    if sentence.entry == "pieces":
        translator = translator.in_pieces()
    settings = within(translator, probe, sentence.settings(translator.settings))
    return what_if(translator, sentence.source, probe, settings=settings, progress=progress)
