"""Passages that a translation invents or leaves out, by how little source and translation hold each other up.

`S` source pieces and `T` target pieces, both without start and end symbols; `R` rows of a batch.

Of every piece of the translation three numbers from 0 to 1 are taken, and of every piece of the source two:

    source share      of the source in the piece's row, by ALTI+ (Ferrando et al. 2022)
    probability       of the piece
    lost with source  1 − p(without) / p: of the probability, what goes when all cross-attention puts out nothing
    coverage          Σ over rows of the source piece's share by ALTI+, at most 1
    lost with piece   1 − P(without) / P: of the probability of the whole translation, what goes when no row can look at
                      the piece

(what would grow without the source counts as nothing lost). One minus the mean of the numbers is the suspicion that a
target piece is invented, or that a source piece is left out; of a pair it is the mean over pieces. A word has the mean
of its pieces. A passage is a run of words that are all suspicious. No number is fitted to any text, and none is a
probability of an error: `corpus.passage_trial` measures how well they tell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.alti import alti
from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.analysis.records.words import grouped, joined, starts
from headscope.model.network.probe import Probe
from headscope.model.sites import Site
from headscope.model.text.vocabulary import Span
from headscope.model.translator import BATCH_TOKENS, Translator

if TYPE_CHECKING:
    from pandas import DataFrame

Fault = Literal["invented", "omitted"]
"""In the translation, or from the source."""
THRESHOLD, LEAST = 0.6, 3
"""Suspicion of every word of a passage, and words that it has at least. Of 120 right pairs of Tatoeba's development
text 2 % had a passage called invented and 9 % one called omitted (10 and 18 % where two pairs were joined); of as many
in which one of two sentences was invented, or left out, 93 and 99 %."""
ALL, NOTHING = -1, -2
"""What a row cannot look at, in the place of a source piece."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Suspicious words in a row."""

    fault: Fault
    text: str
    span: Span
    """In the translation where it is invented, in the source where it is omitted; in characters."""
    suspicion: float
    """The mean over its words."""


@dataclass(frozen=True, slots=True, eq=False)
class Support(Table):
    """How much source and translation of one pair hold each other up, piece by piece."""

    source: Tokens
    target: Tokens
    of_target: Mapping[str, np.ndarray]
    """[T] each: source share, probability, lost with source."""
    of_source: Mapping[str, np.ndarray]
    """[S] each: coverage, lost with piece."""
    log_probs: np.ndarray
    """[T], in nats."""

    def suspicion(self, fault: Fault) -> np.ndarray:
        """[T] of being invented, or [S] of being left out: 1 minus the mean of the numbers."""
        signals = self.of_target if fault == "invented" else self.of_source
        return 1 - np.mean(list(signals.values()), axis=0)

    def total(self, fault: Fault) -> float:
        """The mean over all pieces of a side; 0 where there are none."""
        found = self.suspicion(fault)
        return float(found.mean()) if len(found) else 0.0

    def words(self, fault: Fault) -> tuple[Tokens, np.ndarray]:
        """The words of a side, with the mean suspicion of their pieces.

        Raises:
            HeadscopeError: the texts are symbols that bear no mark of where a word goes on.
        """
        tokens = self.target if fault == "invented" else self.source
        if not tokens.tokens:
            return tokens, np.zeros(0)
        found = grouped(tokens)
        totals = np.add.reduceat(self.suspicion(fault), starts(found.groups))
        return joined(found), totals / list(map(len, found.groups))

    def passages(self, fault: Fault, *, threshold: float = THRESHOLD, least: int = LEAST) -> list[Passage]:
        """The runs of at least so many words that are all more suspicious than that.

        Raises:
            HeadscopeError: the texts are symbols that bear no mark of where a word goes on.
        """
        tokens, suspicion = self.words(fault)
        found = []
        for suspicious, run in groupby(range(len(suspicion)), key=lambda at: bool(suspicion[at] > threshold)):
            places = list(run)
            if suspicious and len(places) >= least:
                span = tokens.tokens[places[0]].span[0], tokens.tokens[places[-1]].span[1]
                found.append(Passage(fault, tokens.text[slice(*span)], span, float(suspicion[places].mean())))
        return found

    def to_pandas(self) -> "DataFrame":
        """One row a piece: side, piece, every number of its side, suspicion."""
        import pandas as pd

        sides: tuple[tuple[str, Tokens, Mapping[str, np.ndarray], Fault], ...] = (
            ("source", self.source, self.of_source, "omitted"),
            ("target", self.target, self.of_target, "invented"),
        )
        tables = []
        for side, tokens, signals, fault in sides:
            table = pd.DataFrame({"side": side, "piece": [token.piece for token in tokens.tokens]} | dict(signals))
            tables.append(table.assign(suspicion=self.suspicion(fault)))
        return pd.concat(tables, ignore_index=True)


@torch.inference_mode()
def passage_support(translator: Translator, pair: SentencePair) -> Support:
    """All numbers of one pair.

    Raises:
        HeadscopeError: the model has no residual stream, or a number is not finite.
    """
    found = alti(translator, pair)
    pieces, length = len(pair.source.ids), len(pair.target.ids)
    whole, cut, *without = _log_probs_without(translator, pair, [NOTHING, ALL, *range(pieces)])
    shares = found.shares.from_source

    def lost(change: np.ndarray) -> np.ndarray:
        return 1 - np.exp(np.minimum(change, 0.0))

    return Support(
        source=Tokens(found.source.text, found.source.tokens[:pieces], found.source.mark),
        target=Tokens(found.predicts.text, found.predicts.tokens[:length], found.predicts.mark),
        of_target={
            "source share": shares[:length].sum(-1),
            "probability": np.exp(whole[:length]),
            "lost with source": lost(cut - whole)[:length],
        },
        of_source={
            "coverage": np.minimum(shares[:, :pieces].sum(0), 1.0),
            "lost with piece": lost(np.array([row.sum() for row in without]) - whole.sum()),
        },
        log_probs=whole[:length],
    )


def _log_probs_without(translator: Translator, pair: SentencePair, hidden: Sequence[int]) -> Iterator[np.ndarray]:
    """[T] log-probabilities with the end of sentence, once for each source piece that no row can look at."""
    batch = forced_batch(translator, [pair])
    step = max(1, BATCH_TOKENS // batch.reads.shape[1])
    for first in range(0, len(hidden), step):
        some = hidden[first : first + step]
        found = log_probs(translator.model, batch.fan_out(len(some)), probe=_Hidden(some))
        yield from to_numpy(found).astype(float)


class _Hidden(Probe):
    """In each row of a batch another source piece that cross-attention passes by, as if its score were minus infinity.

    Where it is the only one, or all are hidden, heads put out nothing; the output projection's bias stays.
    """

    def __init__(self, hidden: Sequence[int]) -> None:
        self._blind = [row for row, piece in enumerate(hidden) if piece == ALL]
        single = [(row, piece) for row, piece in enumerate(hidden) if piece >= 0]
        self._rows, self._pieces = [row for row, _ in single], [piece for _, piece in single]

    def wants(self, site: Site) -> bool:
        return site.kind == "cross"

    def weights(self, site: Site, weights: Float[Tensor, "R H Q K"]) -> Tensor:
        weights = weights.clone()
        weights[self._blind] = 0
        if self._rows:
            weights[self._rows, :, :, self._pieces] = 0
            left = weights[self._rows].sum(-1, keepdim=True)
            weights[self._rows] /= left.where(left > 0, 1.0)
        return weights
