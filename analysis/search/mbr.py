"""Minimum-Bayes-risk choice: the sample that is most like all samples (Eikema & Aziz 2020, "Is MAP Decoding All You
Need?"), where the most probable translation need not be like any of them.

`C` different translations.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from sacrebleu import CHRF

from headscope.analysis.measures.warnings import WarningKind, warnings_of_hypothesis
from headscope.analysis.records.table import Table
from headscope.analysis.search.searching import sample
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.search.settings import Sampling, SearchSettings
from headscope.model.text.bleu_tokens import BleuTokens, bleu_tokens
from headscope.model.translator import MAX_SOURCE_PIECES, Translator

if TYPE_CHECKING:
    from pandas import DataFrame

Utility = Literal["chrf", "bleu"]
MOST_SAMPLES = 500


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Mbr(Table):
    """A choice among translations, best expected utility first."""

    texts: tuple[str, ...]
    """The C different ones."""
    counts: tuple[int, ...]
    """How often each was drawn."""
    log_probs: tuple[float, ...]
    """Of each, by the model. (Several ways to cut one text into pieces: the most probable of those drawn.)"""
    utilities: np.ndarray
    """[C, C], 0 to 100: row = the translation that is judged, column = the one that stands for the reference."""
    expected: np.ndarray
    """[C]: the mean of each row over all samples, its own ones included."""
    utility: Utility
    sampling: Sampling | None
    """How they were drawn; None: they were given."""
    tokens: BleuTokens | None = None
    """How BLEU cut them into words; None: the utility is another."""
    warnings: tuple[WarningKind, ...] = ()
    """Of the translation chosen; none where the samples were given."""

    @property
    def text(self) -> str:
        """The translation chosen."""
        return self.texts[0]

    def to_pandas(self) -> "DataFrame":
        """One row a translation: text, count, log_prob, expected."""
        import pandas as pd

        columns = {"text": self.texts, "count": self.counts, "log_prob": self.log_probs, "expected": self.expected}
        return pd.DataFrame(columns)


def mbr(
    translator: Translator,
    text: str,
    *,
    sampling: Sampling | None = None,
    utility: Utility = "chrf",
    settings: SearchSettings | None = None,
    max_source_pieces: int = MAX_SOURCE_PIECES,
    progress: Progress | None = None,
) -> Mbr:
    """Draw translations of a sentence, and choose the one with the highest expected utility.

    Args:
        sampling: 64 samples of the model's own distribution unless it says otherwise.
        settings: its length limits.

    Raises:
        HeadscopeError: the sentence is blank or too long, or more than 500 samples are asked for.
    """
    sampling = sampling or Sampling(count=64)
    if sampling.count > MOST_SAMPLES:
        raise HeadscopeError(f"{sampling.count} samples are compared pair by pair: draw at most {MOST_SAMPLES}")
    trace = sample(translator, text, sampling, settings=settings, max_source_pieces=max_source_pieces)
    texts = [translator.vocabulary.decode(h.pieces, "target") for h in trace.hypotheses]
    log_probs = [h.total for h in trace.hypotheses]
    chosen = choose(texts, log_probs, utility, language=translator.card.languages[1], progress=progress)
    drawn = trace.hypotheses[texts.index(chosen.text)]
    warnings = warnings_of_hypothesis(translator, translator.source(text, max_source_pieces), drawn)
    return replace(chosen, sampling=sampling, warnings=warnings)


def choose(
    samples: Sequence[str],
    log_probs: Sequence[float],
    utility: Utility = "chrf",
    *,
    language: str = "",
    progress: Progress | None = None,
) -> Mbr:
    """The choice among samples that are given, equal ones as often as they were drawn.

    Args:
        language: what they are written in, by which BLEU is told how to cut them.
    """
    counts = Counter(samples)
    best = {text: max(p for s, p in zip(samples, log_probs, strict=True) if s == text) for text in counts}
    texts = [*counts]
    tokens = bleu_tokens(language, texts) if utility == "bleu" else None
    judge, progress = _judge(tokens), progress or Silent()
    rows = []
    for text in texts:
        progress.update(len(rows), len(texts))
        rows.append([judge(text, reference) for reference in texts])
    table = np.array(rows)
    weights = np.array([counts[text] for text in texts])
    expected = table @ weights / weights.sum()
    order = sorted(range(len(texts)), key=lambda c: (-expected[c], -best[texts[c]]))
    return Mbr(
        texts=tuple(texts[c] for c in order),
        counts=tuple(counts[texts[c]] for c in order),
        log_probs=tuple(best[texts[c]] for c in order),
        utilities=table[np.ix_(order, order)],
        expected=expected[order],
        utility=utility,
        sampling=None,
        tokens=tokens,
    )


def _judge(tokens: BleuTokens | None) -> Callable[[str, str], float]:
    """The score of one sentence against one reference, by sacreBLEU: BLEU of such tokens, or chrF without any."""
    metric = CHRF() if tokens is None else tokens.bleu(effective_order=True)

    def judge(text: str, reference: str) -> float:
        # Two empty texts are alike, but have nothing that could be counted.
        return 100.0 if text == reference else metric.sentence_score(text, [reference]).score

    return judge
