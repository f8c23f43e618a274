"""What a model does with sentences of every length, and with short ones at other positions: the numbers. No torch here.

All losses are teacher-forced, in nats a piece, without the end of sentence: a model that was trained on short sentences
expects that early, which is no matter of positions. Intervals are half the width of the 95 % interval over distinct
sources: another text of this kind, not another training.
"""

from collections.abc import Mapping

from pydantic import Field

from headscope.analysis.experiments.runner import Frozen
from headscope.analysis.search.study import Measured


class Mean(Frozen):
    """A mean over pieces."""

    value: float
    interval: float | None
    """None: from a single sentence."""


class Sums(Frozen):
    """Losses sentence by sentence, for intervals over several models that read the same ones."""

    nats: tuple[float, ...]
    """Of all pieces of a sentence."""
    pieces: tuple[int, ...]
    sources: tuple[int, ...] = ()
    """The number of each sentence's source among the distinct ones; none: not kept, so each counts as its own."""


class Decoded(Frozen):
    """What was translated of a bin. BLEU is comparable within the bin alone: it depends on the length of sentences."""

    bleu: Measured
    chrf: Measured
    length_ratio: float
    """Words of the translations over words of the references."""


class LengthBin(Frozen):
    """Sentences of like length."""

    low: int = Field(ge=1)
    high: int
    """Pieces of the longer side, end of sentence counted; both bounds are in."""
    sentences: int = Field(ge=0)
    loss: Mean | None
    """None: there is no such sentence, or the model cannot read it."""
    by_sentence: Sums
    free: Decoded | None
    """Searched in the checkpoint's own way."""
    to_length: Decoded | None
    """Searched for translations of as many pieces as the reference: the end of sentence is forbidden before, and
    prescribed then."""


class AtPosition(Frozen):
    """Loss where the decoder stands at a position."""

    position: int = Field(ge=0)
    sentences: int = Field(ge=1)
    loss: Mean


class AtOffset(Frozen):
    """Short sentences, moved as a whole on both sides: the same content and length at other positions."""

    offset: int = Field(ge=0)
    regions: Mapping[str, float]
    """Share of the tokens that stand at positions of each region (`analysis.positions.regions`), both sides."""
    loss: Mean | None
    """None: positions end before."""
    by_sentence: Sums
    """Empty where positions end before."""
    change: Mean | None
    """From offset 0, sentence by sentence: narrower than the intervals of both losses."""


class Condition(Frozen):
    """One kind of sentences."""

    bins: tuple[LengthBin, ...]
    positions: tuple[AtPosition, ...]


class LengthStudy(Frozen):
    """All of it, for one checkpoint."""

    weights: str
    """`Translator.weights_digest` of the model."""
    natural: Condition
    """Sentences as they come. Long ones differ from short ones in words and origin too."""
    joined: Condition
    """Short sentences, joined until they are as long: all of their content is of the kind that short training has."""
    shortest: int
    """Sentences that were moved have so many pieces at most, end of sentence counted."""
    moved: int
    """How many of them."""
    offsets: tuple[AtOffset, ...]
    search: str
    """How translations were searched."""
