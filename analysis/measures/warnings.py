"""What a reader must be warned of, whatever a translation's probability: commands and pages ask here. No torch here.

`n` pieces of an n-gram.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from headscope.model.card import Card
from headscope.model.sites import Side
from headscope.model.text.vocabulary import Segmentation

if TYPE_CHECKING:
    from headscope.analysis.capture.pairs import SentencePair
    from headscope.model.search.trace import Hypothesis
    from headscope.model.translator import Translator

MOST_UNKNOWN = 0.5
"""Share of the pieces of a text that a model may not know."""
REPEATED = 4
"""Pieces of the n-grams that are counted."""
MOST_REPEATED = 0.1
"""Share of them that a translation may repeat beyond what its source does. None of 1,500 references from Tatoeba has
more; 173 of 186 translations that were cut off, most of them of other languages and scripts, do."""


class WarningKind(StrEnum):
    """One kind, as JSON names it."""

    CUT_OFF = "cut off"
    LONG_SOURCE = "source longer than in training"
    LONG_TRANSLATION = "translation longer than in training"
    UNKNOWN = "mostly unknown pieces"
    REPETITION = "repeats itself"


SAID: Mapping[WarningKind, str] = {
    WarningKind.CUT_OFF: "translations cut off at the greatest length, before their end",
    WarningKind.LONG_SOURCE: "sources longer than any in training",
    WarningKind.LONG_TRANSLATION: "translations longer than any in training",
    WarningKind.UNKNOWN: "sources of which most pieces are not in the vocabulary",
    WarningKind.REPETITION: "translations that repeat themselves",
}
"""What a count of them is a count of."""


def warnings_of(translator: "Translator", pair: "SentencePair") -> tuple[WarningKind, ...]:
    """All kinds that a sentence and its translation give cause for, in the order of `WarningKind`."""
    card, source, target = translator.card, pair.source, pair.target
    found = {
        WarningKind.CUT_OFF: not pair.finished,
        WarningKind.LONG_SOURCE: beyond_training(card, "source", len(source.ids) + card.config.source_end),
        WarningKind.LONG_TRANSLATION: beyond_training(card, "target", len(target.ids) + pair.finished),
        WarningKind.UNKNOWN: mostly_unknown(translator, source),
        WarningKind.REPETITION: repetition(target.ids) - repetition(source.ids) > MOST_REPEATED,
    }
    return tuple(kind for kind in WarningKind if found[kind])


def warnings_of_hypothesis(
    translator: "Translator", source: Segmentation, hypothesis: "Hypothesis"
) -> tuple[WarningKind, ...]:
    """The kinds of one translation that a search has found of a sentence."""
    from headscope.analysis.capture.pairs import SentencePair

    target = translator.vocabulary.locate(hypothesis.pieces)
    return warnings_of(translator, SentencePair(source, target, hypothesis.finished))


def beyond_training(card: Card, side: Side, pieces: int) -> bool:
    """Whether a sentence of so many pieces, end of sentence counted, is longer than any in training."""
    trained = card.trained_length(side)
    return trained is not None and pieces > trained


def mostly_unknown(translator: "Translator", source: Segmentation) -> bool:
    """Whether the model knows less than half of a source: it is of another script, say, or text in the place of
    pieces."""
    return source.ids.count(translator.vocabulary.unknown) > MOST_UNKNOWN * len(source.ids)


def repetition(pieces: Sequence[int], n: int = REPEATED) -> float:
    """Share of a text's n-grams that have stood in it before, from 0 to 1 (Welleck et al. 2020, "Neural Text Generation
    with Unlikelihood Training": seq-rep-n); 0 where it has none.
    """
    grams = [tuple(pieces[first : first + n]) for first in range(len(pieces) - n + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0
