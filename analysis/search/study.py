"""What a corpus says of a checkpoint's searches: curves over the beam and worked examples, kept with it as
`searches.json`. No torch here."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from headscope.model.card import Card
from headscope.model.files import ResultFile, model_text

STUDY = "searches.json"
FORMAT = 1
Lesson = Literal["greedy", "large beam", "penalty"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Measured(_Frozen):
    """A corpus score, from 0 to 100."""

    value: float
    interval: float | None
    """Half the width of the 95 % interval by bootstrap over distinct sources; None where resamples score 0."""
    signature: str


class Point(_Frozen):
    """The corpus, translated with one beam and one length penalty (of the checkpoint's own kind)."""

    beam: int = Field(ge=1)
    alpha: float
    bleu: Measured
    chrf: Measured
    length_ratio: float
    """Words of the translations over words of the references."""
    log_prob: float
    """Mean log-probability of a translation, in nats."""
    empty: int
    """Translations without any piece."""
    cut_off: int
    """Translations that had not ended at the greatest length."""


class GreedyAndBeam(_Frozen):
    """How often greedy search and the checkpoint's own beam give the reference, word for word."""

    beam: int
    both: int
    beam_alone: int
    greedy_alone: int
    neither: int
    less_probable: int
    """Sentences of which greedy search gives a less probable translation than the beam."""


class Modes(_Frozen):
    """What exact search proves of the most probable translation."""

    budget: int
    """Hypotheses that were extended at most, a sentence."""
    sentences: int
    proven: int
    empty: int
    """Proven: the empty translation is the most probable one."""
    beam_found: int
    """Proven: it is what the checkpoint's own search gives."""


class Found(_Frozen):
    """One search of a worked example."""

    beam: int
    alpha: float
    text: str
    log_prob: float
    score: float
    pieces: int
    """End of sentence counted."""
    chrf: float
    """Against the reference, of this sentence alone."""


class Worked(_Frozen):
    """A sentence in which one setting makes a difference."""

    lesson: Lesson
    """`greedy`: A, greedy search, is wrong where B, a beam, is right. `large beam`: B, the larger one, finds something
    more probable, shorter and worse than A. `penalty`: A without and B with a length penalty choose differently."""
    source: str = Field(min_length=1)
    reference: str
    a: Found
    b: Found


class SearchStudy(_Frozen):
    """All of it."""

    format: Literal[1] = 1
    weights: str
    """`Translator.weights_digest` of the model that was searched."""
    data: str
    """Where the sentences come from."""
    licence: str
    attribution: str
    sentences: int = Field(ge=1)
    points: tuple[Point, ...]
    greedy: GreedyAndBeam
    modes: Modes
    examples: tuple[Worked, ...]


def save_study(study: SearchStudy, checkpoint: Path) -> None:
    """Write `searches.json` into a checkpoint folder, in the place of one that is there."""
    _FILE.save(study, checkpoint)


def load_study(card: Card) -> SearchStudy | None:
    """The study in a checkpoint's folder; None: it has none.

    Raises:
        HeadscopeError: the file is none.
    """
    return _FILE.load(card.path)


_FILE = ResultFile(STUDY, FORMAT, "headscope study", model_text, SearchStudy.model_validate)
