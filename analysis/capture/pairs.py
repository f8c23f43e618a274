"""Sentence pairs cut into pieces: what every analysis starts from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import require_length
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translation import Translation
from headscope.model.translator import BATCH_TOKENS, MAX_SOURCE_PIECES, Translator, by_length, too_long


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and a translation of it, cut into pieces; no start or end symbol among them."""

    source: Segmentation
    target: Segmentation
    finished: bool = True
    """False: the translation was cut off, so no end of sentence follows its last piece."""


def sentence_pair(
    translator: Translator, source: str, target: str | None = None, *, settings: SearchSettings | None = None
) -> SentencePair:
    """A sentence with the translation given, or with the best that beam search finds, in the pieces it found.

    Raises:
        HeadscopeError: the sentence is blank, or either side is too long for the model.
    """
    read = translator.source(source)
    if target is None:
        return found_pair(translator.translate([source], settings=settings)[0])
    given = SentencePair(read, translator.vocabulary.encode(target, "target"))
    require_length(len(written(translator, given)), translator.model.capabilities().position_limit)
    return given


def found_pair(translation: Translation) -> SentencePair:
    """A sentence with the best translation that was found of it."""
    return SentencePair(translation.source, translation.targets[0], translation.finished)


def given_pair(translator: Translator, source: Segmentation, target: Sequence[int]) -> SentencePair:
    """A sentence with a translation given as a search writes it: with the end of sentence where it has ended.

    Raises:
        HeadscopeError: the translation is too long for the model, or there is nothing of it.
    """
    if not target:
        raise HeadscopeError("the translation has no piece, not even the end of sentence: give one")
    require_length(len(target), translator.model.capabilities().position_limit)
    finished = target[-1] == translator.vocabulary.end
    return SentencePair(source, translator.vocabulary.locate(target[:-1] if finished else target), finished)


def written(translator: Translator, pair: SentencePair) -> tuple[int, ...]:
    """The translation as a search writes it: its pieces, and the end of sentence where it has ended."""
    return (*pair.target.ids, *[translator.vocabulary.end] * pair.finished)


def corpus_pairs(translator: Translator, texts: Sequence[Pair]) -> list[SentencePair]:
    """Many pairs of texts, without those of which a side is blank, or too long for the model."""
    limit = min(translator.model.config.position_limit or MAX_SOURCE_PIECES, MAX_SOURCE_PIECES)
    encode = translator.vocabulary.encode
    pairs = [SentencePair(encode(source, "source"), encode(target, "target")) for source, target in texts]
    return [
        pair for pair in pairs if all(side.ids and not too_long(side, limit) for side in (pair.source, pair.target))
    ]


def batches(
    pairs: Sequence[SentencePair], *, tokens: int = BATCH_TOKENS, progress: Progress | None = None
) -> Iterator[list[SentencePair]]:
    """Batches of pairs of like length, of at most `tokens` padded pieces on a side (or of one pair).

    Args:
        progress: told how many pairs are done, before every batch and at the end.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    for batch in numbered_batches(pairs, tokens=tokens, progress=progress):
        yield [pair for _, pair in batch]


def numbered_batches(
    pairs: Sequence[SentencePair], *, tokens: int = BATCH_TOKENS, progress: Progress | None = None
) -> Iterator[list[tuple[int, SentencePair]]]:
    """`batches` with the place of every pair, which they are not in the order of."""
    progress, done = progress or Silent(), 0
    for batch in by_length([(index, pair.source, pair.target) for index, pair in enumerate(pairs)], tokens):
        progress.update(done, len(pairs))
        yield [(index, pairs[index]) for index, *_ in batch]
        done += len(batch)
    progress.update(done, len(pairs))
