"""Two checkpoints side by side: their translations of the same sentences, and their heads, matched."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from headscope.analysis.capture.pairs import SentencePair, corpus_pairs
from headscope.analysis.corpus.paired import paired_test
from headscope.analysis.positions.decoding import free_translations
from headscope.analysis.positions.matching import Match, Matching, Verdict, matched_heads
from headscope.analysis.records.table import Table
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share, Silent
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class PairedScore:
    """One metric of both."""

    metric: str
    a: float
    b: float
    a_interval: float
    b_interval: float
    """Half the width of the 95 % interval by bootstrap over distinct sources, of each by itself."""
    p: float
    """Of a difference as large where there is none, by paired bootstrap over distinct sources (Koehn 2004; as
    sacreBLEU's): about these two models and other text, not about other trainings. A large one does not say that they
    are equal."""
    signature: str


@dataclass(frozen=True, slots=True)
class Comparison(Table):
    """Two checkpoints."""

    scores: tuple[PairedScore, ...]
    sentences: int
    matchings: tuple[Matching, ...]
    verdicts: tuple[Verdict, ...]
    """Of each matching, in the same order."""
    unmatched: str | None
    """Why no heads could be matched; None: they were."""

    def turned(self) -> "Comparison":
        """The same with the second checkpoint as the first."""
        scores = [
            replace(each, a=each.b, b=each.a, a_interval=each.b_interval, b_interval=each.a_interval)
            for each in self.scores
        ]
        matchings = [
            replace(
                each, matches=tuple(sorted((Match(m.b, m.a, m.divergence) for m in each.matches), key=lambda m: m.a))
            )
            for each in self.matchings
        ]
        return replace(self, scores=tuple(scores), matchings=tuple(matchings))

    def to_pandas(self) -> "DataFrame":
        """One row a pair of matched heads."""
        import pandas as pd

        found = [matching.to_pandas() for matching in self.matchings]
        return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def compared_checkpoints(
    a: Translator,
    b: Translator,
    texts: Sequence[Pair],
    null: Sequence[tuple[Translator, Translator]] = (),
    *,
    progress: Progress | None = None,
) -> Comparison:
    """Translate with both, and match their heads where both cut text into the same pieces.

    Args:
        texts: of which those are taken that both can read.
        null: pairs of trainings of one kind with different seeds, whose heads are matched likewise.
        progress: told of each part of the work by itself.

    Raises:
        HeadscopeError: the models have other languages, or can read none of the pairs.
        Cancelled: `progress` wants it to stop.
    """
    require_same_languages(a, b)
    readable = {(pair.source.text, pair.target.text) for pair in corpus_pairs(b, texts)}
    pairs = [pair for pair in corpus_pairs(a, texts) if (pair.source.text, pair.target.text) in readable]
    if not pairs:
        raise HeadscopeError(f"none of the {len(texts):,} sentence pairs can be read by both models: give others")
    unmatched, matchings, verdicts = None, (), ()
    try:
        matchings = matched_heads(a, b, pairs, progress=progress)
        nulls = [matched_heads(*each, pairs, progress=progress) for each in null]
        verdicts = tuple(
            Verdict(found.mean, tuple(each[index].mean for each in nulls)) for index, found in enumerate(matchings)
        )
    except HeadscopeError as error:
        unmatched = str(error)
    scores = paired_scores(a, b, pairs, progress=progress)
    return Comparison(tuple(scores), len(pairs), matchings, verdicts, unmatched)


def require_same_languages(a: Translator, b: Translator) -> None:
    """Check that two models can be compared by what they translate.

    Raises:
        HeadscopeError: they have other languages.
    """
    if a.card.languages != b.card.languages:
        raise HeadscopeError(
            f"{a.card.name} translates {'-'.join(a.card.languages)}, {b.card.name} {'-'.join(b.card.languages)}: "
            "choose two of the same languages"
        )


def paired_scores(
    a: Translator, b: Translator, pairs: Sequence[SentencePair], *, progress: Progress | None = None
) -> list[PairedScore]:
    """BLEU and chrF of both on the same pairs, each searched in its own way.

    Args:
        progress: told how many translations are done.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    progress, count = progress or Silent(), len(pairs)
    outputs = [
        free_translations(translator, pairs, Share(progress, before, 2 * count))
        for translator, before in ((a, 0), (b, count))
    ]
    sources, references = [pair.source.text for pair in pairs], [pair.target.text for pair in pairs]
    ours, theirs = paired_test(outputs, sources, references, a.card.languages[1])
    return [
        PairedScore(
            metric=one.metric,
            a=one.value,
            b=two.value,
            a_interval=one.interval,
            b_interval=two.interval,
            p=1.0 if two.p is None else two.p,
            signature=one.signature,
        )
        for one, two in zip(ours, theirs, strict=True)
    ]
