"""Which method of attribution can be trusted most on a model: faithfulness over a corpus, and how far methods agree.

`N` sentences, `M` methods.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.attribution.agreement import agreement_of
from headscope.analysis.attribution.attribute import asked_of, attribute
from headscope.analysis.attribution.erasure import Operator
from headscope.analysis.attribution.faithfulness import ORDERS, curves, scores_of
from headscope.analysis.attribution.inputs import Baseline
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.intervals import by_source, resampled_means
from headscope.analysis.records.table import Table
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.sites import Side
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class MethodRanking(Table):
    """How much better than random orders each method is, in nats: means over sentences, each of equal weight."""

    methods: tuple[str, ...]
    """The most comprehensive first."""
    side: Side
    operator: Operator
    sentences: int
    sources: int
    """Distinct ones: what intervals are by bootstrap over."""
    left_out: int
    """Pairs that were blank or too long for the model."""
    comprehensiveness: np.ndarray
    """[3, M]: the gain over random orders, and the ends of its 95 % interval."""
    sufficiency: np.ndarray
    """[3, M]: the same; here too, more is better."""
    lead: np.ndarray
    """[3, M]: by how much each method is less comprehensive than the first, with the interval of that difference over
    the same sentences: one whose interval holds 0 cannot be told from the first."""
    tau: np.ndarray
    """[M, M]: Kendall's tau of every two, the mean over sentences."""

    def to_pandas(self) -> "DataFrame":
        """One row a method: method, and mean, low and high of comprehensiveness, sufficiency and lead."""
        import pandas as pd

        columns = {
            f"{name}{end}": getattr(self, name)[at]
            for name in ("comprehensiveness", "sufficiency", "lead")
            for at, end in enumerate(("", "_low", "_high"))
        }
        return pd.DataFrame({"method": self.methods, **columns})


def rank_methods(
    translator: Translator,
    texts: Sequence[Pair],
    methods: Sequence[str],
    *,
    side: Side = "source",
    operator: Operator = "mask",
    base: Baseline = "zero",
    steps: int | None = None,
    orders: int = ORDERS,
    seed: int = 0,
    progress: Progress | None = None,
) -> MethodRanking:
    """Measure the faithfulness of methods on every pair of a corpus, teacher-forced.

    Args:
        side: whose tokens are taken away, and how, as in `faithfulness`.
        progress: told how many sentences are done.

    Raises:
        HeadscopeError: no method is chosen, there is no such method or operator, or no pair is left to measure.
        Cancelled: `progress` wants it to stop.
    """
    if not methods:
        raise HeadscopeError("no method is chosen whose faithfulness could be measured: choose one or more")
    pairs, progress = corpus_pairs(translator, texts), progress or Silent()
    if not pairs:
        raise HeadscopeError(f"none of the {len(texts):,} sentence pairs can be read by this model: give others")
    gains, taus = [], []
    for done, pair in enumerate(pairs):
        progress.update(done, len(pairs))
        scores = {
            method: scores_of(attribute(translator, pair, method, base=base, steps=steps), side) for method in methods
        }
        asked = asked_of(translator, pair, LOG_PROB)
        gains.append(curves(asked, scores, side=side, operator=operator, orders=orders, seed=seed + done).gains)
        taus.append(agreement_of(scores, side=side).tau)
    progress.update(len(pairs), len(pairs))
    sources = [pair.source.text for pair in pairs]
    found = by_source(np.array(gains), sources)
    order = np.argsort(-found[..., 0].mean(0), kind="stable")
    found = found[:, order]
    known = np.isfinite(taus).sum(0)
    tau = np.divide(np.nansum(taus, 0), known, out=np.full(known.shape, np.nan), where=known > 0)
    return MethodRanking(
        methods=tuple(methods[int(index)] for index in order),
        side=side,
        operator=operator,
        sentences=len(pairs),
        sources=len(found),
        left_out=len(texts) - len(pairs),
        comprehensiveness=resampled_means(found[..., 0]),
        sufficiency=resampled_means(found[..., 1]),
        lead=resampled_means(found[:, :1, 0] - found[..., 0]),
        tau=tau[np.ix_(order, order)],
    )
