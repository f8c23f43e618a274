"""The sentence strip: source and output as tokens, and what is known of the translation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import Label, labels

StripSide = Literal["source", "output"]
SIDES: tuple[StripSide, ...] = ("source", "output")


@dataclass(frozen=True, slots=True)
class Pin:
    """A token of the sentence strip that stays selected."""

    side: StripSide
    index: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One item of the line below the tokens, and a warning that belongs to it."""

    text: str
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of one token."""

    probability: float | None
    """None: it was not predicted, or is not known."""
    beyond: bool
    """It stands where no token stood in training."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One side."""

    text: str
    language: str
    """Its code."""
    labels: tuple[Label, ...]
    notes: tuple[Note, ...]
    cut_off: bool
    """It ends without the end of sentence, for its search did."""


@dataclass(frozen=True, slots=True)
class Strip:
    """What the component gets."""

    signature: str
    source: Sentence
    output: Sentence
    facts: Sequence[Fact]
    pin: Pin | None
    link: str | None


def strip(
    maps: AttentionMaps,
    *,
    pin: Pin | None,
    facts: Sequence[Fact],
    trained: Mapping[StripSide, int | None],
    languages: tuple[str, str],
    link: str | None,
) -> Strip:
    """Source and output of a record.

    Args:
        pin: the token that stays selected.
        trained: pieces of the longest sentence in training, a side; None: not known.
        languages: codes of source and target.
        link: query string of the address that opens this view, to be copied; None: there is no button for it.
    """
    known = not np.isnan(maps.log_probs).any()
    probabilities = np.exp(maps.log_probs.astype(np.float64)).round(6).tolist() if known else None
    return Strip(
        signature=f"{maps.fingerprint} {languages}",
        source=_sentence(maps, "source", languages[0], trained["source"], None),
        output=_sentence(maps, "output", languages[1], trained["output"], probabilities),
        facts=facts,
        pin=pin,
        link=link,
    )


def _sentence(
    maps: AttentionMaps, side: StripSide, language: str, trained: int | None, probabilities: list[float] | None
) -> Sentence:
    sentence = maps.source if side == "source" else maps.predicts
    notes = tuple(
        Note(
            probability=None if probabilities is None else probabilities[index],
            beyond=trained is not None and index >= trained,
        )
        for index in range(len(sentence))
    )
    return Sentence(sentence.text, language, labels(sentence), notes, side == "output" and not maps.finished)
