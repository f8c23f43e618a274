"""Which methods of attribution a corpus speaks for on a checkpoint, kept with it as `faithfulness.json`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from headscope.analysis.attribution.faithfulness import ORDERS
from headscope.analysis.attribution.inputs import Baseline
from headscope.analysis.corpus.ranking import rank_methods
from headscope.analysis.corpus.texts import Texts
from headscope.model.errors import HeadscopeError
from headscope.model.files import ResultFile, model_text
from headscope.model.progress import Progress
from headscope.model.translator import Translator

STUDY = "faithfulness.json"
FORMAT = 1
DIGITS = 5


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Estimate(_Frozen):
    """A mean over sentences in nats, with the ends of its 95 % interval by bootstrap over distinct sources."""

    mean: float
    low: float
    high: float


class RankedMethod(_Frozen):
    """One method. Both gains are over random orders, and more is better."""

    name: str
    comprehensiveness: Estimate
    sufficiency: Estimate
    lead: Estimate
    """By how much the first method is more comprehensive, on the same sentences."""


class FaithfulnessStudy(_Frozen):
    """Methods of attribution by how much is lost when source tokens are masked in their order."""

    format: Literal[1] = 1
    weights: str
    """`Translator.weights_digest` of the model."""
    data: str
    licence: str
    attribution: str
    sentences: int
    sources: int = Field(ge=2)
    """Distinct ones."""
    base: Baseline
    """What methods that compare were given to compare with."""
    steps: int | None
    """Of integrals; None: until sums were right to 1 %."""
    orders: int
    """Random ones, a sentence."""
    methods: tuple[RankedMethod, ...] = Field(min_length=1)
    """The most comprehensive first."""

    @property
    def better_than_random(self) -> bool:
        """Whether any method is, as far as its interval says."""
        return any(each.comprehensiveness.low > 0 for each in self.methods)

    @property
    def tied(self) -> tuple[RankedMethod, ...]:
        """Those that cannot be told from the first: the interval of the difference reaches 0."""
        return tuple(each for each in self.methods[1:] if each.lead.low <= 0)


def faithfulness_study(
    translator: Translator,
    texts: Texts,
    methods: Sequence[str],
    *,
    base: Baseline = "zero",
    steps: int | None = None,
    orders: int = ORDERS,
    progress: Progress | None = None,
) -> FaithfulnessStudy:
    """Rank methods over a corpus, as `rank_methods` does.

    Raises:
        HeadscopeError: as `rank_methods`, or all pairs have one source, of which there is no interval.
        Cancelled: `progress` wants it to stop.
    """
    if len({source for source, _ in texts.pairs}) < 2:
        raise HeadscopeError("intervals are over distinct sources: give two pairs or more whose sources differ")
    found = rank_methods(translator, texts.pairs, methods, base=base, steps=steps, orders=orders, progress=progress)
    if found.sources < 2:
        raise HeadscopeError(f"of {len(texts.pairs):,} pairs, the model can read those of one source alone: give more")
    return FaithfulnessStudy(
        weights=translator.weights_digest,
        data=texts.origin,
        licence=texts.licence,
        attribution=texts.attribution,
        sentences=found.sentences,
        sources=found.sources,
        base=base,
        steps=steps,
        orders=orders,
        methods=tuple(
            RankedMethod(
                name=name,
                comprehensiveness=_estimate(found.comprehensiveness[:, at]),
                sufficiency=_estimate(found.sufficiency[:, at]),
                lead=_estimate(found.lead[:, at]),
            )
            for at, name in enumerate(found.methods)
        ),
    )


def save_faithfulness_study(study: FaithfulnessStudy, checkpoint: Path) -> None:
    """Write `faithfulness.json` into a checkpoint folder, in the place of one that is there."""
    _FILE.save(study, checkpoint)


def load_faithfulness_study(checkpoint: Path) -> FaithfulnessStudy | None:
    """The study in a checkpoint folder; None: it has none.

    Raises:
        HeadscopeError: the file is none.
    """
    return _FILE.load(checkpoint)


def _estimate(ends: np.ndarray) -> Estimate:
    mean, low, high = (round(float(end), DIGITS) for end in ends)
    return Estimate(mean=mean, low=low, high=high)


_FILE = ResultFile(STUDY, FORMAT, "headscope faithfulness", model_text, FaithfulnessStudy.model_validate)
