"""How good translations are, over a test set: sacreBLEU and chrF with signatures and intervals, and speed."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from sacrebleu import BLEU, CHRF

from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import Precision
from headscope.model.progress import Progress
from headscope.model.search.settings import SearchSettings
from headscope.model.text.bleu_tokens import bleu_tokens
from headscope.model.text.subwords import detokenise, join
from headscope.model.translator import BATCH_TOKENS, MAX_SOURCE_PIECES, Translation, Translator

RESAMPLES = 1000
M = TypeVar("M", bound=BLEU | CHRF)


@dataclass(frozen=True, slots=True)
class Score:
    """A corpus score, from 0 to 100."""

    value: float
    interval: float | None
    """Half the width of the 95 % interval by bootstrap over distinct sources: another text of this kind, not another
    training. None where resamples score 0."""
    signature: str
    """What exactly was measured, in sacreBLEU's notation."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A test set, translated and compared with its references."""

    bleu: Score
    chrf: Score
    detokenised: Score | None
    """BLEU of running text, where `bleu` is that of tokens."""
    length_ratio: float
    """Words of the translations over words of the references, as BLEU counts them."""
    sentences: int
    sources: int
    """Different ones among them."""
    seconds: float
    """Spent on translating, by the clock on the wall."""
    translations: tuple[Translation, ...]
    note: str | None = None
    """Why BLEU cuts text in another way than one would expect, if it does."""

    @property
    def sentences_per_second(self) -> float:
        """How fast it went."""
        return self.sentences / self.seconds

    @property
    def untranslated(self) -> int:
        """Sentences with a problem; their translations count as empty."""
        return sum(translation.problem is not None for translation in self.translations)


def evaluate(
    translator: Translator,
    pairs: Sequence[Pair],
    *,
    more_references: Sequence[Sequence[str]] = (),
    settings: SearchSettings | None = None,
    max_source_pieces: int = MAX_SOURCE_PIECES,
    batch_tokens: int = BATCH_TOKENS,
    precision: Precision = "fp32",
    tokenised: bool = False,
    tokeniser: str | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Translate the first of every pair and compare with the second (Papineni et al. 2002; Popović 2015; Post 2018).

    Args:
        more_references: further translations by people: each has one text for every pair, in the same order.
        tokenised: translations and references are Moses tokens in pieces, cut as in `model.text.subwords`, which are
            joined; BLEU takes the tokens as they are (`tok:none`), as in many publications. That figure is not to be
            compared with one of running text, which `detokenised` has; chrF is of running text too.
        tokeniser: how BLEU cuts running text, one of `model.text.bleu_tokens.TOKENISERS`; None: as sacreBLEU does for
            the checkpoint's target language.

    Raises:
        HeadscopeError: there are no pairs, further references are not as many, or a tokeniser or sacremoses is missing
            where it is needed.
    """
    if not pairs:
        raise HeadscopeError("there is nothing to evaluate: the test set has no sentences")
    sources, references = [source for source, _ in pairs], [[reference for _, reference in pairs], *more_references]
    for number, texts in enumerate(references, 1):
        if len(texts) != len(pairs):
            raise HeadscopeError(f"reference {number} has {len(texts):,} sentences, the source {len(pairs):,}")
    language = translator.card.languages[1]
    tokens = bleu_tokens(language, references[0], chosen=tokeniser)
    tokens.bleu()  # before the work is done, in case that it cannot be had
    start = time.perf_counter()
    translations = translator.translate(
        sources,
        settings=settings,
        max_source_pieces=max_source_pieces,
        batch_tokens=batch_tokens,
        precision=precision,
        progress=progress,
    )
    seconds = time.perf_counter() - start
    bleu = tokens.bleu
    compared = running = [[translation.text for translation in translations], *references]
    if tokenised:
        bleu = partial(BLEU, tokenize="none", force=True)  # forced, or it warns that the text looks tokenised
        compared = [[join(text) for text in texts] for texts in compared]
        running = [detokenise(texts, language) for texts in compared]
    return Evaluation(
        bleu=corpus_score(bleu, sources, *compared),
        chrf=corpus_score(CHRF, sources, *running),
        detokenised=corpus_score(tokens.bleu, sources, *running) if tokenised else None,
        length_ratio=bleu().corpus_score(compared[0], compared[1:]).ratio,
        sentences=len(pairs),
        sources=len(set(sources)),
        seconds=seconds,
        translations=tuple(translations),
        note=tokens.note,
    )


def corpus_score(
    kind: Callable[[], BLEU | CHRF], sources: Sequence[str], texts: Sequence[str], *references: Sequence[str]
) -> Score:
    """A score of translations of `sources` against one or more references each, with its interval."""
    try:
        metric = by_source(kind(), sources)
        found = metric.corpus_score(texts, references, n_bootstrap=RESAMPLES)
    except TypeError:  # sacreBLEU cannot take the mean of chrF over resamples of which some score exactly 0
        metric = kind()
        found = metric.corpus_score(texts, references)
    signature = metric.get_signature().format()
    # The interval stands nowhere but in the description, and not even there when the mean over the resamples is 0.
    described = json.loads(found.format(width=4, signature=signature, is_json=True))
    return Score(found.score, described.get("confidence_var"), signature)


def by_source(metric: M, sources: Sequence[str]) -> M:
    """Let the bootstrap of a metric draw distinct sources, each with all its pairs, where it would draw pairs.

    Pairs of one source are not independent of one another, so that drawing them one by one gives too small an interval.
    Scores stay as they are: they are made of sums over the corpus.
    """
    places = {source: place for place, source in enumerate(dict.fromkeys(sources))}
    groups, statistics = [places[source] for source in sources], metric._extract_corpus_statistics

    def summed(hypotheses: Sequence[str], references: Sequence[Sequence[str]] | None) -> list[list[int]]:
        each = np.array(statistics(hypotheses, references))
        sums = np.zeros((len(places), each.shape[1]), each.dtype)
        np.add.at(sums, groups, each)
        return sums.tolist()

    metric._extract_corpus_statistics = summed
    return metric
