"""How good translations are, over a test set: sacreBLEU and chrF with signatures and intervals, and speed."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu import BLEU, CHRF, corpus_bleu

from model.corpus import Pair
from model.device import Precision
from model.errors import HeadscopeError
from model.progress import Progress
from model.search.beam import SearchSettings
from model.translator import BATCH_TOKENS, MAX_SOURCE_PIECES, Translation, Translator

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Score:
    """A corpus score, from 0 to 100."""

    value: float
    interval: float | None
    """Half the width of the 95 % interval by bootstrap over sentences: another text of this kind, not another training.
    None where resamples score 0."""
    signature: str
    """What exactly was measured, in sacreBLEU's notation."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A test set, translated and compared with its references."""

    bleu: Score
    chrf: Score
    length_ratio: float
    """Words of the translations over words of the references, as BLEU counts them."""
    sentences: int
    seconds: float
    """Spent on translating, by the clock on the wall."""
    translations: tuple[Translation, ...]

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
    settings: SearchSettings | None = None,
    max_source_pieces: int = MAX_SOURCE_PIECES,
    batch_tokens: int = BATCH_TOKENS,
    precision: Precision = "fp32",
    progress: Progress | None = None,
) -> Evaluation:
    """Translate the first of every pair and compare with the second (Papineni et al. 2002; Popović 2015; Post 2018).

    Raises:
        HeadscopeError: there are no pairs.
    """
    if not pairs:
        raise HeadscopeError("there is nothing to evaluate: the test set has no sentences")
    sources, references = [source for source, _ in pairs], [reference for _, reference in pairs]
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
    texts = [translation.text for translation in translations]
    return Evaluation(
        bleu=_measure(BLEU, texts, references),
        chrf=_measure(CHRF, texts, references),
        length_ratio=corpus_bleu(texts, [references]).ratio,
        sentences=len(pairs),
        seconds=seconds,
        translations=tuple(translations),
    )


def _measure(kind: type[BLEU] | type[CHRF], texts: Sequence[str], references: Sequence[str]) -> Score:
    try:
        metric = kind()
        found = metric.corpus_score(texts, [references], n_bootstrap=RESAMPLES)
    except TypeError:  # sacreBLEU cannot take the mean of chrF over resamples of which some score exactly 0
        metric = kind()
        found = metric.corpus_score(texts, [references])
    signature = metric.get_signature().format()
    # The interval stands nowhere but in the description, and not even there when the mean over the resamples is 0.
    described = json.loads(found.format(width=4, signature=signature, is_json=True))
    return Score(found.score, described.get("confidence_var"), signature)
