"""What the page that compares models shows beyond the sentence, as a value, and its form in the address."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from headscope.analysis.comparison.naming import MOST_SIDES, read_side
from headscope.app.view.codec import PageState, Word, counted, one_of
from headscope.model.errors import HeadscopeError

BREAK = "|"
"""Between sides in the address; no name has it."""
LONGEST = 1000

Shows = Literal["translations", "heads", "search", "why", "layers", "corpus"]
SHOWS: tuple[Shows, ...] = ("translations", "heads", "search", "why", "layers", "corpus")
Match = Literal["place", "here", "corpus"]
MATCHES: tuple[Match, ...] = ("place", "here", "corpus")
Order = Literal["outputs", "log_prob"]
ORDERS: tuple[Order, ...] = ("outputs", "log_prob")


def _others(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    names = text.split(BREAK, MOST_SIDES)[: MOST_SIDES - 1]
    try:
        return tuple(dict.fromkeys(str(read_side(name[:LONGEST])) for name in names))
    except HeadscopeError as error:
        raise ValueError(text) from error


@dataclass(frozen=True, slots=True)
class CompareView(PageState):
    """Everything that decides what the page shows, but for the first checkpoint and the sentence."""

    shows: Annotated[Shows, one_of(SHOWS)] = "translations"
    others: Annotated[tuple[str, ...] | None, Word(_others, BREAK.join)] = None
    """Names, as `analysis.comparison.naming` has them, of what stands beside the checkpoint; None: the page chooses."""
    read: Annotated[int, counted(silent=True)] = 0
    """Whose translation all of them read."""
    match: Annotated[Match, one_of(MATCHES)] = "place"
    """Which head of another stands beside one of the first: that of the same place, the most alike in the sentence, or
    the one it was matched with over a corpus."""
    order: Annotated[Order, one_of(ORDERS)] = "outputs"
    """Which sentences of the corpus come first: those whose translations, or whose log-probabilities, differ most."""

    def settled(self) -> "CompareView":
        """The translation is that of one of them."""
        most = MOST_SIDES - 1 if self.others is None else len(self.others)
        return replace(self, read=min(self.read, most))
