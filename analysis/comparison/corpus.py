"""Several models over a test set: scores with intervals, and the sentences on which they differ most.

`M` models, `N` sentence pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from sacrebleu import CHRF

from headscope.analysis.corpus.paired import SystemScore, paired_test
from headscope.analysis.positions.comparison import require_same_languages
from headscope.analysis.records.table import Table
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share, Silent
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import BATCH_TOKENS, Translator

if TYPE_CHECKING:
    from pandas import DataFrame

Order = Literal["outputs", "log_prob"]


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one model makes of a test set."""

    texts: tuple[str, ...]
    """Its translations; a blank one where it cannot read the source."""
    log_probs: tuple[float | None, ...]
    """Nats: of each reference; None where it cannot be read."""


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """One sentence pair in all models."""

    index: int
    """Its place in the test set, from 0."""
    source: str
    reference: str
    outputs: tuple[str, ...]
    log_probs: tuple[float | None, ...]
    likeness: float
    """The lowest chrF between two of the outputs, mean of both directions: 100 is all the same."""
    spread: float
    """Nats: the highest log-probability of the reference less the lowest; NaN where one is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedCorpus(Table):
    """Several models over a test set."""

    names: tuple[str, ...]
    scores: tuple[tuple[SystemScore, ...], ...]
    """Of every model, metric by metric; p against the first model."""
    sentences: tuple[ComparedSentence, ...]
    """In the order of the test set."""
    sources: int
    """Different ones."""

    def ranked(self, order: Order) -> list[ComparedSentence]:
        """Those that differ most first; of a source that stands there several times the first alone."""
        once = {each.source: each for each in reversed(self.sentences)}.values()
        known = [each for each in once if order == "outputs" or np.isfinite(each.spread)]
        key = {"outputs": lambda each: each.likeness, "log_prob": lambda each: -each.spread}[order]
        return sorted(known, key=lambda each: (key(each), each.index))

    @property
    def same(self) -> int:
        """Sentences that all models translate alike."""
        return sum(len(set(each.outputs)) == 1 for each in self.sentences)

    def to_pandas(self) -> "DataFrame":
        """One row a sentence: index, source, reference, likeness, spread, and of every model its output and the
        log-probability of the reference."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"index": each.index, "source": each.source, "reference": each.reference}
                | {"likeness": each.likeness, "spread": each.spread}
                | {f"output {name}": text for name, text in zip(self.names, each.outputs, strict=True)}
                | {f"log_prob {name}": value for name, value in zip(self.names, each.log_probs, strict=True)}
                for each in self.sentences
            ]
        )


def outputs(
    translator: Translator,
    texts: Sequence[Pair],
    *,
    settings: SearchSettings | None = None,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> Outputs:
    """Translate the sources, and score the references.

    Args:
        settings: of the search; None: the checkpoint's own way.
        progress: told how many of both are done.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    progress, count = progress or Silent(), len(texts)
    sources = [source for source, _ in texts]
    distinct = list(dict.fromkeys(sources))
    shares = Share(progress, 0, 2 * count), Share(progress, count, 2 * count)
    found = translator.translate(distinct, settings=settings, batch_tokens=batch_tokens, progress=shares[0])
    by_text = dict(zip(distinct, found, strict=True))
    scored = translator.score(list(texts), batch_tokens=batch_tokens, progress=shares[1])
    return Outputs(
        tuple(by_text[source].text for source in sources),
        tuple(None if each.problem else float(sum(each.log_probs)) for each in scored),
    )


def compared_outputs(
    names: Sequence[str], found: Sequence[Outputs], texts: Sequence[Pair], language: str
) -> ComparedCorpus:
    """What the outputs of several models on the same sentence pairs say.

    Args:
        language: of the translations.

    Raises:
        HeadscopeError: there are no pairs, or fewer than two models.
    """
    if not texts or len(found) < 2:
        raise HeadscopeError("a comparison over a corpus needs two models and at least one sentence pair")
    sources, references = ([pair[side] for pair in texts] for side in (0, 1))
    scores = paired_test([each.texts for each in found], sources, references, language)
    metric = CHRF()
    rows = [
        ComparedSentence(
            index=index,
            source=source,
            reference=reference,
            outputs=tuple(each.texts[index] for each in found),
            log_probs=tuple(each.log_probs[index] for each in found),
            likeness=_likeness(metric, sorted({each.texts[index] for each in found})),
            spread=_spread([each.log_probs[index] for each in found]),
        )
        for index, (source, reference) in enumerate(texts)
    ]
    return ComparedCorpus(tuple(names), tuple(map(tuple, scores)), tuple(rows), len(set(sources)))


def compared_corpus(
    translators: Sequence[Translator],
    texts: Sequence[Pair],
    *,
    settings: SearchSettings | None = None,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> ComparedCorpus:
    """Translate a test set with each model, and compare.

    Args:
        settings: how all search; None: each in its checkpoint's own way.
        progress: told how much of all models' work is done.

    Raises:
        HeadscopeError: the models have other languages, or there are no pairs or fewer than two models.
        Cancelled: `progress` wants it to stop.
    """
    progress, count = progress or Silent(), 2 * len(texts)
    for other in translators[1:]:
        require_same_languages(translators[0], other)
    found = [
        outputs(
            translator,
            texts,
            settings=settings,
            batch_tokens=batch_tokens,
            progress=Share(progress, number * count, len(translators) * count),
        )
        for number, translator in enumerate(translators)
    ]
    names = [translator.card.name for translator in translators]
    return compared_outputs(names, found, texts, translators[0].card.languages[1])


def _likeness(metric: CHRF, texts: Sequence[str]) -> float:
    """The lowest chrF between two of the texts, which differ from each other."""
    pairs = [(a, b) for place, a in enumerate(texts) for b in texts[place + 1 :]]
    both = [(metric.sentence_score(a, [b]).score + metric.sentence_score(b, [a]).score) / 2 for a, b in pairs]
    return min(both, default=100.0)


def _spread(log_probs: Sequence[float | None]) -> float:
    known = [value for value in log_probs if value is not None]
    return max(known) - min(known) if len(known) == len(log_probs) else float("nan")
