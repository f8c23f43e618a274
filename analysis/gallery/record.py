"""The gallery of a checkpoint: worked examples as numbers, kept with it as `gallery.json`. No torch here.

The file holds no sentence about a head: `analysis.gallery.wording` says what the numbers show.
"""

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from headscope.analysis.gallery.questions import QUESTIONS
from headscope.analysis.records.heads import Head, require
from headscope.model.card import Card
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.files import ResultFile, model_text

GALLERY = "gallery.json"
FORMAT = 1
LEVELS = 255
Also = Literal["aer", "between", "unchanged"]
Pinned = tuple[Literal["source", "output"], Annotated[int, Field(ge=0)]]
Row = Annotated[str, Field(pattern=r"^([0-9a-f]{2})+$")]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Number(_Frozen):
    """A number over sentences with its 95 % interval: Wilson's of a share of sentences, else by bootstrap over them."""

    value: float
    low: float
    high: float
    sentences: int = Field(ge=1)


class Measured(_Frozen):
    """A number of the head, and the same of its control."""

    number: Number
    control: Number


class Shown(_Frozen):
    """One sentence, the model's own translation of it, and what the head does in the pair."""

    source: str = Field(min_length=1)
    target: str
    finished: bool = True
    """False: the translation was cut off."""
    value: float
    """What the example measures, in this sentence alone."""
    map: tuple[Row, ...] = Field(min_length=1)
    """The head's weights, a row a string of two hexadecimal digits a key: 255 stands for 1."""
    counted: bool = True
    """Whether it is in the half that the numbers are taken from."""
    pin: Pinned | None = None
    """Side and index of the piece that the question is about."""

    @model_validator(mode="after")
    def _rectangular(self) -> "Shown":
        if len(set(map(len, self.map))) > 1:
            raise ValueError("the rows of a map differ in length")
        return self

    @property
    def weights(self) -> np.ndarray:
        """[Q, K], from 0 to 1, exact to 1 / 510."""
        return np.array([list(bytes.fromhex(row)) for row in self.map]) / LEVELS


def as_rows(weights: np.ndarray) -> tuple[Row, ...]:
    """Weights in the form of `Shown.map`."""
    return tuple(row.tobytes().hex() for row in np.rint(np.clip(weights, 0, 1) * LEVELS).astype(np.uint8))


class Further(Measured):
    """One more number."""

    head: Head | None = None
    """Another head than that of the example, where the number is of one."""


class Example(Measured):
    """One question, the head that answers it best, and how well it does."""

    question: str
    """One of `QUESTIONS`."""
    head: Head
    sentence: Shown
    counter: Shown | None
    """A sentence in which it does not; None: it always does."""
    also: dict[Also, Further] = {}
    """`aer`: alignment error rate of the head that aligns best, and for control of this one. `between`: share of rows
    behind a verb, before its prefix, that look at the verb. `unchanged`: share of translations that stay as they are.
    """

    @field_validator("question")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in QUESTIONS:
            raise ValueError(f"there is no such question, only {', '.join(QUESTIONS)}")
        return name


class Gallery(_Frozen):
    """All examples of a checkpoint."""

    format: Literal[1] = 1
    weights: str
    """`Translator.weights_digest` of the model they were found in."""
    data: str
    """Where the sentences come from."""
    licence: str
    attribution: str
    gold: str = ""
    """What the sentences are that people aligned, where there is an alignment error rate."""
    beam: int = Field(ge=1)
    length_penalty: float
    """Settings of the search that found the translations."""
    examples: tuple[Example, ...]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All sentences with their translations, counter-examples too, each once."""
        shown = (each for example in self.examples for each in (example.sentence, example.counter) if each)
        return tuple(dict.fromkeys((each.source, each.target) for each in shown))


def save_gallery(gallery: Gallery, checkpoint: Path) -> None:
    """Write `gallery.json` into a checkpoint folder, in the place of one that is there."""
    _FILE.save(gallery, checkpoint)


def load_gallery(card: Card) -> Gallery | None:
    """The gallery in a checkpoint's folder; None: it has none.

    Raises:
        HeadscopeError: the file is no gallery, or names a head that the model lacks.
    """
    gallery = _FILE.load(card.path)
    try:
        require(card.config, [example.head for example in gallery.examples] if gallery else [])
    except HeadscopeError as error:
        raise HeadscopeError(f"{card.path / GALLERY}: {error}") from error
    return gallery


_FILE = ResultFile(GALLERY, FORMAT, "headscope gallery", model_text, Gallery.model_validate)
