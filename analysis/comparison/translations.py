"""One sentence in several models: their translations word by word, and what each thinks of those of the others.

`M` models, of which the translations are `M` too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import SentencePair, found_pair
from headscope.analysis.positions.comparison import require_same_languages
from headscope.analysis.positions.side_by_side import read_by
from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.table import Table
from headscope.analysis.records.words import grouped, joined
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.search.settings import SearchSettings
from headscope.model.text.vocabulary import Span
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a translation."""

    text: str
    span: Span
    """Where it stands in the translation, in characters."""
    differs: bool
    """Whether it has no counterpart in the first translation; of the first one, whether it lacks one in any other."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTranslations(Table):
    """A sentence in several models."""

    source: str
    names: tuple[str, ...]
    texts: tuple[str, ...]
    words: tuple[tuple[Word, ...], ...]
    finished: tuple[bool, ...]
    """Whether each ends with its end of sentence; else its search was cut off."""
    log_probs: np.ndarray
    """[M, M], nats: of the translation of a row under the model of a column."""

    def to_pandas(self) -> "DataFrame":
        """One row a translation and model: translation_by, text, model, log_prob."""
        import pandas as pd

        rows = [
            (by, text, model, float(self.log_probs[row, column]))
            for row, (by, text) in enumerate(zip(self.names, self.texts, strict=True))
            for column, model in enumerate(self.names)
        ]
        return pd.DataFrame(rows, columns=["translation_by", "text", "model", "log_prob"])


def compared_translations(
    translators: Sequence[Translator],
    source: str,
    *,
    settings: SearchSettings | None = None,
    progress: Progress | None = None,
) -> ComparedTranslations:
    """Translate a sentence with each model, and score each translation under all.

    Args:
        settings: how all search; None: each in its checkpoint's own way.
        progress: told how many of the models' passes are done.

    Raises:
        HeadscopeError: the models have other languages, the sentence is blank or too long, or a name is there twice.
        Cancelled: `progress` wants it to stop.
    """
    progress, count = progress or Silent(), len(translators)
    for other in translators[1:]:
        require_same_languages(translators[0], other)
    pairs = []
    for done, translator in enumerate(translators):
        progress.update(done, count * (count + 1))
        translator.source(source)  # says what is wrong with it
        pairs.append(found_pair(translator.translate([source], settings=settings)[0]))
    found: list[list[AttentionMaps]] = []
    for row, pair in enumerate(pairs):
        progress.update(count + count * row, count * (count + 1))
        found.append([forced_maps(translator, pair) for translator in translators])
    progress.update(count * (count + 1), count * (count + 1))
    return together([translator.card.name for translator in translators], found)


def forced_maps(translator: Translator, pair: SentencePair) -> AttentionMaps:
    """The record of a translation, teacher-forced, whichever model has found it; see `read_by`.

    Raises:
        HeadscopeError: a side is too long for the model.
    """
    return record(translator, read_by(translator, pair))


def together(names: Sequence[str], records: Sequence[Sequence[AttentionMaps]]) -> ComparedTranslations:
    """What records of every translation in every model say.

    Args:
        records: by translation, then by model, in the order of the names.
    """
    own = [row[index] for index, row in enumerate(records)]
    words = [_words(maps.predicts) for maps in own]
    marked = _marked(words)
    return ComparedTranslations(
        source=own[0].source.text,
        names=tuple(names),
        texts=tuple(maps.predicts.text for maps in own),
        words=marked,
        finished=tuple(maps.finished for maps in own),
        log_probs=np.array([[float(maps.log_probs.sum(dtype=float)) for maps in row] for row in records]),
    )


def _words(tokens: Tokens) -> list[tuple[str, Span]]:
    """The words of a translation and their places; of symbols that do not say where a word goes on, the symbols."""
    try:
        found = joined(grouped(tokens))
    except HeadscopeError:
        found = tokens
    return [(token.piece, token.span) for token in found.tokens if not token.special]


def _marked(sides: Sequence[Sequence[tuple[str, Span]]]) -> tuple[tuple[Word, ...], ...]:
    first, *others = ([text for text, _ in side] for side in sides)
    differs, in_all = [], set(range(len(first)))
    for other in others:
        blocks = SequenceMatcher(a=first, b=other, autojunk=False).get_matching_blocks()
        in_all &= {block.a + at for block in blocks for at in range(block.size)}
        kept = {block.b + at for block in blocks for at in range(block.size)}
        differs.append([place not in kept for place in range(len(other))])
    marks = [[place not in in_all for place in range(len(first))], *differs]
    return tuple(
        tuple(Word(text, span, mark) for (text, span), mark in zip(side, each, strict=True))
        for side, each in zip(sides, marks, strict=True)
    )
