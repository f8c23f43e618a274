"""Alignment error rates of every method of attribution, cross-attention head and layer, with gold targets forced.

`E` things that are measured, `N` sentences. Two readings of the rows and two ways from pieces to words, so four rates
each: they differ, and a rate means nothing without their names.
"""

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.faithfulness import scores_of
from headscope.analysis.attribution.inputs import Baseline
from headscope.analysis.attribution.registry import METHODS
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import SentencePair, corpus_pairs
from headscope.analysis.measures.alignment import (
    AGGREGATIONS,
    Aggregation,
    ErrorRate,
    Gold,
    aligned,
    counts,
    error_rate,
)
from headscope.analysis.records.heads import Head
from headscope.analysis.records.table import Table
from headscope.analysis.records.words import Role
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.sites import layers_of
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

READINGS: tuple[Role, ...] = ("predicts", "reads")
"""Of a decoder's rows: attention with the word as output, and with the word as input."""
WAYS: tuple[tuple[Role, Aggregation], ...] = tuple(product(READINGS, AGGREGATIONS))
"""Every reading with every aggregation."""
Sort = Literal["method", "head", "layer"]


class Aligner(NamedTuple):
    """Something whose largest numbers are taken for links."""

    sort: Sort
    name: str
    """Of a method, or as in "cross 1.2" of a head, or as in "cross 1" of a layer, whose heads are averaged; layers and
    heads count from 1."""


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentErrors(Table):
    """Links against gold, over a set of sentences."""

    aligners: tuple[Aligner, ...]
    counts: np.ndarray
    """[E, 2, 2, N, 4]: by reading and aggregation, in the order of `READINGS` and `AGGREGATIONS`; what `counts` of
    `measures.alignment` gives."""
    left_out: int
    """Gold pairs that are too long for the model."""

    @property
    def sentences(self) -> int:
        """Those that were counted."""
        return self.counts.shape[3]

    def rate(self, aligner: Aligner, rows: Role, aggregation: Aggregation) -> ErrorRate:
        """Over all sentences."""
        return error_rate(self._counts(aligner, rows, aggregation).sum(0))

    def best(self, sort: Sort) -> tuple[Aligner, Role, Aggregation, ErrorRate]:
        """What is best on the sentences of even number, counted from 0, with its rate on the others: a rate by which
        something was chosen flatters it.

        Raises:
            HeadscopeError: nothing of that sort was measured, or there is one sentence alone.
        """
        if self.sentences < 2:
            raise HeadscopeError("the best is chosen on one half and scored on the other: give two pairs or more")
        every: list[tuple[Aligner, Role, Aggregation]] = [
            (aligner, rows, aggregation)
            for aligner in self.aligners
            if aligner.sort == sort
            for rows, aggregation in WAYS
        ]
        if not every:
            raise HeadscopeError(f"no {sort} was measured: choose one or more")
        chosen = min(every, key=lambda way: error_rate(self._counts(*way)[::2].sum(0)).aer)
        return chosen[0], chosen[1], chosen[2], error_rate(self._counts(*chosen)[1::2].sum(0))

    def to_pandas(self) -> "DataFrame":
        """One row an aligner, reading and aggregation: sort, name, rows, aggregation, aer, precision, recall."""
        import pandas as pd

        ways = [(aligner, *way) for aligner in self.aligners for way in WAYS]
        rates = [self.rate(*way) for way in ways]
        return pd.DataFrame(
            {
                "sort": [aligner.sort for aligner, *_ in ways],
                "name": [aligner.name for aligner, *_ in ways],
                "rows": [rows for _, rows, _ in ways],
                "aggregation": [aggregation for *_, aggregation in ways],
                "aer": [rate.aer for rate in rates],
                "precision": [rate.precision for rate in rates],
                "recall": [rate.recall for rate in rates],
            }
        )

    def _counts(self, aligner: Aligner, rows: Role, aggregation: Aggregation) -> np.ndarray:
        at = self.aligners.index(aligner), READINGS.index(rows), [*AGGREGATIONS].index(aggregation)
        return self.counts[at]


def alignment_errors(
    translator: Translator,
    gold: Sequence[Gold],
    methods: Sequence[str] = (),
    *,
    base: Baseline = "zero",
    steps: int | None = None,
    kept: MutableMapping[int, np.ndarray | None] | None = None,
    progress: Progress | None = None,
) -> AlignmentErrors:
    """Measure every cross-attention head and layer, and some methods of attribution.

    Args:
        gold: in the direction of the model; `read_gold` swaps.
        methods: what each row explains is its piece's log-probability; the source token that speaks most for it is
            linked, by the sums of a method with a sign and the norms of others.
        base: what the methods compare with, and `steps` that they take.
        kept: counts of sentences by their place in `gold`, None for one that is left out, as an earlier call with the
            same arguments has put them there: those are not counted again, and the others are put there as well.
        progress: told how many sentences are done.

    Raises:
        HeadscopeError: no gold pair can be read by the model, it has no cross-attention heads, or there is no such
            method.
        Cancelled: `progress` wants it to stop.
    """
    translator.model.capabilities().require_kind("cross")
    for method in methods:
        if method not in METHODS:
            raise HeadscopeError(f"there is no method '{method}': choose {', '.join(METHODS)}")
    progress, every = progress or Silent(), {} if kept is None else kept
    for at, links in enumerate(gold):
        progress.update(at, len(gold))
        if at not in every:
            pairs = corpus_pairs(translator, [(links.source, links.target)])
            every[at] = _counted(translator, pairs[0], links, methods, base, steps) if pairs else None
    progress.update(len(gold), len(gold))
    found = [counted for counted in map(every.__getitem__, range(len(gold))) if counted is not None]
    if not found:
        raise HeadscopeError(f"none of the {len(gold):,} sentence pairs can be read by this model: give others")
    return AlignmentErrors(_aligners(translator, methods), np.stack(found, axis=3), len(gold) - len(found))


def _aligners(translator: Translator, methods: Sequence[str]) -> tuple[Aligner, ...]:
    layers = layers_of(translator.model, "cross")
    heads = [str(Head("cross", site.layer, head)) for site in layers for head in range(site.heads)]
    return (
        *(Aligner("method", name) for name in methods),
        *(Aligner("head", name) for name in heads),
        *(Aligner("layer", f"cross {site.layer + 1}") for site in layers),
    )


def _counted(
    translator: Translator, pair: SentencePair, gold: Gold, methods: Sequence[str], base: Baseline, steps: int | None
) -> np.ndarray:
    """[E, 2, 2, 4] of one sentence."""
    maps = record(translator, pair)

    def numbers() -> Iterator[np.ndarray]:
        for method in methods:
            yield scores_of(attribute(translator, pair, method, base=base, steps=steps), "source")[None]
        yield from maps.cross
        for layer in maps.cross:
            yield layer.mean(0, keepdims=True)

    every = np.concatenate(list(numbers()))
    found = [
        [counts(links, gold) for links in aligned(every, maps, gold, rows=rows, aggregation=aggregation)]
        for rows, aggregation in WAYS
    ]
    return np.array(found).reshape(len(READINGS), len(AGGREGATIONS), -1, 4).transpose(2, 0, 1, 3)
