"""What the page of positions shows beyond the sentence, as a value, and its form in the address."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from headscope.analysis.positions.geometry import Product
from headscope.analysis.positions.terms import Stack
from headscope.app.view.codec import PageState, Word, counted, flag, number, one_of, whole
from headscope.app.wire.position_charts import TERMS, WHOLE
from headscope.app.workbench.changed_positions import WHOLE as WHOLE_SIDES
from headscope.app.workbench.changed_positions import How, Sides

LENGTHS, WIDTHS, BASES, HEADS = (8, 1024), (4, 512), (2.0, 1e6), (1, 16)
MOST_DIMENSIONS = 6

VIEWS = (
    *("table", "waves", "pairs", "distance", "shift", "plane", "norms", "spectrum", "training"),
    *("head", "sentence", "corpus", "heads", "changes", "layers", "attention", "compared", "what_if"),
    *("length", "by_position", "offsets", "experiment", "formula"),
)
Rows = Literal["trained", "all"]
ROWS: tuple[Rows, ...] = ("trained", "all")
PRODUCTS: tuple[Product, ...] = ("dot", "cosine")
STACKS: tuple[Stack, ...] = ("encoder", "decoder")
Formula = Literal["sinusoidal", "rotary", "alibi", "t5"]
HOWS: tuple[How, ...] = ("exchange", "move", "repeat", "shift", "offset", "swap")
SIDE_CHOICES: tuple[Sides, ...] = ("source", "target", "both")
FURTHEST = 1024
"""Positions that a token is moved by at most."""
Match = Literal["place", "within", "across"]
MATCHES: tuple[Match, ...] = ("place", "within", "across")
Measure = Literal["loss", "bleu", "chrf", "length_ratio"]
MEASURES: tuple[Measure, ...] = ("loss", "bleu", "chrf", "length_ratio")
"""In the order of the charts of `app.wire.position_study_charts`."""
Finding = Literal["lost", "length", "position", "moved", "schemes"]
FINDINGS: tuple[Finding, ...] = ("lost", "length", "position", "moved", "schemes")
FORMULAS: tuple[Formula, ...] = ("sinusoidal", "rotary", "alibi", "t5")


def _dimensions(text: str) -> tuple[int, ...]:
    found = sorted({int(part) for part in text.split(".", MOST_DIMENSIONS)[:MOST_DIMENSIONS]})
    if found[0] < 0:
        raise ValueError(text)
    return tuple(found)


def _filled(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


@dataclass(frozen=True, slots=True)
class PositionsView(PageState):
    """Everything that decides what the page of positions shows, but for checkpoint and sentence."""

    view: Annotated[str, one_of(VIEWS)] = "table"
    beside: Annotated[bool, flag()] = True
    """Whether a second checkpoint stands beside the first."""
    other: Annotated[str | None, Word(_filled)] = None
    """Which; None: the twin of the first."""
    differ: Annotated[bool, flag()] = False
    """Whether maps of both have their difference beside them."""
    length: Annotated[int, whole(*LENGTHS)] = 128
    """Positions shown."""
    dimensions: Annotated[tuple[int, ...], Word(_dimensions, lambda each: ".".join(map(str, each)) or None)] = (
        0,
        16,
        32,
        64,
    )
    """Those drawn as waves, sorted; each once."""
    product: Annotated[Product, one_of(PRODUCTS)] = "dot"
    centre: Annotated[bool, flag()] = False
    """Whether the mean of the well-trained rows is taken away first."""
    rows: Annotated[Rows, one_of(ROWS)] = "trained"
    """Which positions are gathered, fitted and analysed."""
    stack: Annotated[Stack, one_of(STACKS)] = "encoder"
    """Whose first self-attention layer."""
    head: Annotated[int, counted()] = 0
    term: Annotated[str, one_of((WHOLE, *TERMS))] = WHOLE
    match: Annotated[Match, one_of(MATCHES)] = "place"
    """Which head of the second checkpoint stands beside one of the first: of the same place, or matched with it."""
    measure: Annotated[Measure, one_of(MEASURES)] = "loss"
    """What is drawn by length, and of changed positions."""
    finding: Annotated[Finding, one_of(FINDINGS)] = "lost"
    """What is shown of the experiment."""
    how: Annotated[How, one_of(HOWS)] = "exchange"
    """What is done to positions."""
    sides: Annotated[Sides, one_of(SIDE_CHOICES)] = "source"
    token: Annotated[int, counted()] = 1
    """Whose position is changed."""
    to: Annotated[int, counted()] = 5
    """The token that it is exchanged with, or whose position it takes."""
    by: Annotated[int, whole(-FURTHEST, FURTHEST)] = 8
    """Positions further on."""
    formula: Annotated[Formula, one_of(FORMULAS)] = "sinusoidal"
    width: Annotated[int, whole(*WIDTHS)] = 64
    heads: Annotated[int, whole(*HEADS)] = 8
    span: Annotated[int, whole(*LENGTHS)] = 64
    """Positions of the formula."""
    base: Annotated[float, number(*BASES)] = 10_000.0

    def settled(self) -> "PositionsView":
        """Sines and cosines come in pairs; a token stands on one side."""
        sides = "source" if self.sides == "both" and self.how not in WHOLE_SIDES else self.sides
        return replace(self, width=self.width - self.width % 2, sides=sides)
