"""Sentence pairs cut into pieces: what every analysis starts from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headscope.model.data.parallel_text import Pair
from headscope.model.progress import Progress, Silent
from headscope.model.search.beam import SearchSettings
from headscope.model.sites import require_length
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import BATCH_TOKENS, MAX_SOURCE_PIECES, Translator, by_length, too_long


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and a translation of it, cut into pieces; no start or end symbol among them."""

    source: Segmentation
    target: Segmentation


def sentence_pair(
    translator: Translator, source: str, target: str | None = None, *, settings: SearchSettings | None = None
) -> SentencePair:
    """A sentence with the translation given, or with the best that beam search finds, in the pieces it found.

    Raises:
        HeadscopeError: the sentence is blank, or either side is too long for the model.
    """
    read = translator.source(source)
    if target is None:
        written = translator.translate([source], settings=settings)[0].targets[0]
    else:
        written = translator.vocabulary.encode(target, "target")
    require_length(len(written.ids) + 1, translator.model.capabilities().position_limit)
    return SentencePair(read, written)


def given_pair(translator: Translator, source: Segmentation, target: Sequence[int]) -> SentencePair:
    """A sentence with a translation given as pieces, such as a hypothesis of a search, whether it has ended or not.

    Raises:
        HeadscopeError: the translation is too long for the model.
    """
    require_length(len(target) + 1, translator.model.capabilities().position_limit)
    return SentencePair(source, translator.vocabulary.locate(target))


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
    progress, done = progress or Silent(), 0
    for batch in by_length([(index, pair.source, pair.target) for index, pair in enumerate(pairs)], tokens):
        progress.update(done, len(pairs))
        yield [pairs[index] for index, *_ in batch]
        done += len(batch)
    progress.update(done, len(pairs))
