"""What the page "Why" shows beyond the View, as a value, and its form in the address: pure, re-validated.

Methods and what they explain are named as in their registries, which are not read here, for that takes torch.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from headscope.app.view.codec import PageState, Word, one_of

LONGEST_NAME = 60
LONGEST_TEXT = 1000
HEAD = "attention head"
"""In the place of a second method: the head in view."""
ROLLOUT = "attention rollout"
NONE = "nothing"
Below = Literal["nothing", "heads", "layers", "contributions", "patching", "faithfulness"]
BELOWS: tuple[Below, ...] = ("nothing", "heads", "layers", "contributions", "patching", "faithfulness")
Base = Literal["zero", "unknown", "mean"]
BASES: tuple[Base, ...] = ("zero", "unknown", "mean")
MOST_PIECES = 10_000_000
MOST_ROWS = 10_000


def _name(text: str) -> str:
    if not text or len(text) > LONGEST_NAME:
        raise ValueError(text)
    return text


def _text(text: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > LONGEST_TEXT:
        raise ValueError(text)
    return text


def _against(text: str) -> tuple[int, int]:
    row, piece = map(int, text.split(".", 1))
    if not (0 < row <= MOST_ROWS and 0 <= piece <= MOST_PIECES):
        raise ValueError(text)
    return row - 1, piece


def _spell_against(against: tuple[int, int]) -> str:
    return f"{against[0] + 1}.{against[1]}"


@dataclass(frozen=True, slots=True)
class WhyView(PageState):
    """What the page alone shows."""

    method: Annotated[str, Word(_name)] = "integrated gradients"
    beside: Annotated[str, Word(_name)] = "saliency"
    """A second method, or `HEAD`, `ROLLOUT` or `NONE`."""
    explained: Annotated[str, Word(_name)] = "log-probability"
    base: Annotated[Base, one_of(BASES)] = "zero"
    against: Annotated[tuple[int, int] | None, Word(_against, _spell_against)] = None
    """A target row, and the piece that stands against its own in a contrast; None, and in all other rows: the
    second-best."""
    below: Annotated[Below, one_of(BELOWS)] = "nothing"
    """What stands below the picture: what every head did for the chosen token, say."""
    other: Annotated[str, Word(_text)] = ""
    """The second source, whose activations are patched; blank: none yet."""
    this: Annotated[str, Word(_text)] = ""
    """The first of the translations that patching compares; blank: that of the sentence."""
    that: Annotated[str, Word(_text)] = ""
    """The second; blank: that of the second source."""

    prefix: Annotated[str, Word(_text)] = ""
    """What both translations begin with in the run that is patched from; blank: what they begin with anyway."""
    rival: Annotated[str, Word(_text)] = ""
    """The translation that a phrase contrast is drawn with; blank: the next best that the search found."""
    model: Annotated[str, Word(_name)] = ""
    """The checkpoint that a checkpoint difference subtracts; blank: the first of the same languages."""

    def anew(self) -> "WhyView":
        """The same for another sentence, where another piece comes second and other sources differ in little."""
        return replace(self, against=None, other="", this="", that="", prefix="", rival="")
