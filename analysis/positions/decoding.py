"""Translations of a corpus, found freely or as long as their references, and how good they are."""

import math
from collections.abc import Sequence

import torch
from sacrebleu import CHRF
from torch import Tensor

from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.corpus.evaluation import corpus_score
from headscope.analysis.positions.length_record import Decoded
from headscope.analysis.search.curves import measured
from headscope.model.network.probe import ForwardContext, Probe, Probes
from headscope.model.progress import Progress, Share, Silent
from headscope.model.search.settings import SearchSettings
from headscope.model.text.bleu_tokens import bleu_tokens
from headscope.model.text.segments import by_length
from headscope.model.translator import BATCH_TOKENS, Translator


class _Exactly(Probe):
    """Translations of so many pieces, in the order of the sentences of a batch: the end of sentence, which is one of
    them, is forbidden before and prescribed then. What is left is renormalised.

    A sentence's rows leave the batch when it has ended, which is when it has its pieces: so the position alone says
    whose rows are left.
    """

    def __init__(self, pieces: Sequence[int], end: int) -> None:
        self._pieces, self._end, self._position = pieces, end, 0

    def begin(self, forward: ForwardContext) -> None:
        if links := forward.links.get("decoder"):
            self._position = int(links.queries[-1])

    def logits(self, logits: Tensor) -> Tensor:
        going = torch.tensor([count for count in self._pieces if count > self._position], device=logits.device)
        ending = (going == self._position + 1).repeat_interleave(len(logits) // len(going))
        is_end = torch.arange(logits.shape[-1], device=logits.device) == self._end
        barred = ending[:, None] != is_end
        return logits.masked_fill(barred.reshape(len(logits), *[1] * (logits.ndim - 2), -1), -math.inf)


def decoded(
    translator: Translator,
    pairs: Sequence[SentencePair],
    progress: Progress | None = None,
    *,
    exactly: bool = False,
    settings: SearchSettings | None = None,
    probe: Probe | None = None,
) -> Decoded:
    """Translate and compare with the references; there has to be a pair.

    Args:
        exactly: into as many pieces as the reference has.
        probe: changes what the model computes.
        progress: told how many pairs are done.
    """
    find = exact_translations if exactly else free_translations
    return compared(translator, pairs, find(translator, pairs, progress, settings=settings, probe=probe))


def compared(translator: Translator, pairs: Sequence[SentencePair], texts: Sequence[str]) -> Decoded:
    """How good translations are."""
    sources, references = [pair.source.text for pair in pairs], [pair.target.text for pair in pairs]
    bleu = bleu_tokens(translator.card.languages[1], references).bleu
    return Decoded(
        bleu=measured(corpus_score(bleu, sources, texts, references)),
        chrf=measured(corpus_score(CHRF, sources, texts, references)),
        length_ratio=round(bleu().corpus_score(texts, [references]).ratio, 4),
    )


def free_translations(
    translator: Translator,
    pairs: Sequence[SentencePair],
    progress: Progress | None = None,
    *,
    settings: SearchSettings | None = None,
    probe: Probe | None = None,
) -> list[str]:
    """The best translation of each source."""
    sources = [pair.source.text for pair in pairs]
    return [found.text for found in translator.translate(sources, settings=settings, probe=probe, progress=progress)]


def exact_translations(
    translator: Translator,
    pairs: Sequence[SentencePair],
    progress: Progress | None = None,
    *,
    settings: SearchSettings | None = None,
    probe: Probe | None = None,
) -> list[str]:
    """The best translation of each source among those that have as many pieces as its reference."""
    progress, settings, done = progress or Silent(), settings or translator.settings, 0
    texts: dict[int, str] = {}
    for batch in by_length([(index, pair.source) for index, pair in enumerate(pairs)], BATCH_TOKENS):
        chosen = [pairs[index] for index, _ in batch]
        pieces = [len(pair.target.ids) + 1 for pair in chosen]
        exact = _Exactly(pieces, translator.vocabulary.end)
        found = translator.translate(
            [pair.source.text for pair in chosen],
            settings=settings.within(max(pieces)),
            probe=exact if probe is None else Probes(probe, exact),
            progress=Share(progress, done, len(pairs)),
        )
        texts |= {index: translation.text for (index, _), translation in zip(batch, found, strict=True)}
        done += len(batch)
    return [texts[index] for index in range(len(pairs))]
