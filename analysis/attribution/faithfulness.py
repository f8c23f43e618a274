"""How far an attribution can be trusted: tokens are taken away in its order, and what is explained has to fall.

`T` target rows, `S` source pieces, `K` steps of a curve, `M` methods, `Z` random orders, `R` rows of a batch.

Each target row has its own order of the tokens, those that speak most for its piece first. Comprehensiveness is what
the piece's log-probability loses without the first of them, sufficiency what it loses with them alone, each the mean
over a curve from few tokens to all (DeYoung et al. 2020, there of probabilities). A good order has much of the former
and little of the latter. Both depend on how tokens are taken away, and random orders take them away as well: they are
what an order is compared with. Source and target so far are taken away apart, for they are not of one kind.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from headscope.analysis.attribution.attribute import asked_of, attribute
from headscope.analysis.attribution.attribution import Attribution
from headscope.analysis.attribution.erasure import Operator, Without, without
from headscope.analysis.attribution.gradients import batch_rows
from headscope.analysis.attribution.inputs import Baseline
from headscope.analysis.attribution.method import Question
from headscope.analysis.attribution.registry import METHODS
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.sites import Side
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

SHARES = np.arange(1, 9) / 8
"""Of the tokens, at the steps of a curve."""
ORDERS = 20
"""At random."""

Scores = np.ndarray
"""[T, columns]: how much each token of a side speaks for each row's piece."""


@dataclass(frozen=True, slots=True, eq=False)
class Faithfulness(Table):
    """Curves of one sentence, means over its target rows, in nats: a number is that of the whole minus what is left."""

    methods: tuple[str, ...]
    side: Side
    operator: Operator
    shares: np.ndarray
    """[K]: of the tokens of the side, taken away or left."""
    without: np.ndarray
    """[M, K]: lost when so many of the first tokens are taken away."""
    alone: np.ndarray
    """[M, K]: lost when none but so many of the first tokens are left."""
    random_without: np.ndarray
    """[Z, K]: the same in random orders."""
    random_alone: np.ndarray
    """[Z, K]."""

    @property
    def comprehensiveness(self) -> np.ndarray:
        """[M]: mean of `without`; the higher, the better."""
        return self.without.mean(-1)

    @property
    def sufficiency(self) -> np.ndarray:
        """[M]: mean of `alone`; the lower, the better."""
        return self.alone.mean(-1)

    @property
    def gains(self) -> np.ndarray:
        """[M, 2]: how much better than random orders on average, in comprehensiveness and in sufficiency; positive is
        better in both."""
        more = self.comprehensiveness - self.random_without.mean()
        return np.stack([more, self.random_alone.mean() - self.sufficiency], axis=1)

    @property
    def beaten(self) -> np.ndarray:
        """[M, 2]: the share of the random orders that are worse than the method."""
        more = self.comprehensiveness[:, None] > self.random_without.mean(-1)
        return np.stack([more.mean(-1), (self.sufficiency[:, None] < self.random_alone.mean(-1)).mean(-1)], axis=1)

    def to_pandas(self) -> "DataFrame":
        """One row a method (or random order, numbered) and step: method, order, share, without, alone."""
        import pandas as pd

        names = [
            *((name, -1) for name in self.methods),
            *(("random", order) for order in range(len(self.random_alone))),
        ]
        row, step = (index.ravel() for index in np.indices((len(names), len(self.shares))))
        return pd.DataFrame(
            {
                "method": [names[index][0] for index in row],
                "order": [names[index][1] for index in row],
                "share": self.shares[step],
                "without": np.concatenate([self.without, self.random_without]).ravel(),
                "alone": np.concatenate([self.alone, self.random_alone]).ravel(),
            }
        )


def scores_of(found: Attribution, side: Side) -> Scores:
    """What an attribution orders tokens by: its sums, or, of a method whose sums have no sign, its norms."""
    reduction = "sum" if METHODS[found.settings.method].signed else "norm"
    return found.reduced(reduction)[0 if side == "source" else 1]


def faithfulness(
    translator: Translator,
    pair: SentencePair,
    methods: Sequence[str],
    *,
    side: Side = "source",
    operator: Operator = "mask",
    base: Baseline = "zero",
    steps: int | None = None,
    orders: int = ORDERS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Faithfulness:
    """Curves of some methods on one sentence pair, and of random orders.

    Args:
        side: which tokens are taken away: those of the source, or those of the target that a row has read.
        operator: how they are taken away, one of `erasure.OPERATORS`.
        base: what the methods compare with.
        steps: of the methods that have any.
        seed: of the random orders.

    Raises:
        HeadscopeError: there is no such method or operator.
        Cancelled: `progress` wants it to stop.
    """
    if not methods:
        raise HeadscopeError("no method is chosen whose faithfulness could be measured: choose one or more")
    progress, scores = progress or Silent(), {}
    for done, method in enumerate(methods):
        progress.update(done, 2 * len(methods))
        scores[method] = scores_of(attribute(translator, pair, method, base=base, steps=steps), side)
    progress.update(len(methods), 2 * len(methods))
    found = curves(asked_of(translator, pair, LOG_PROB), scores, side=side, operator=operator, orders=orders, seed=seed)
    progress.update(2 * len(methods), 2 * len(methods))
    return found


def curves(
    asked: Question,
    scores: Mapping[str, Scores],
    *,
    side: Side = "source",
    operator: Operator = "mask",
    orders: int = ORDERS,
    seed: int = 0,
) -> Faithfulness:
    """The same of scores, whatever they come from."""
    states, rows = without(asked, operator), len(asked.inputs.target)
    lengths = [len(asked.inputs.source)] * rows if side == "source" else list(range(1, rows + 1))
    random = np.random.default_rng(seed)
    whole = _values(asked, states, side, [(row, np.array([], dtype=int)) for row in range(rows)])

    def lost(order: Sequence[np.ndarray]) -> np.ndarray:
        return _lost(asked, states, side, order, whole)

    ordered = [
        lost([np.argsort(-given[row, :length], kind="stable") for row, length in enumerate(lengths)])
        for given in scores.values()
    ]
    if side == "source":  # one order serves all rows, and so does each pass
        drawn = [_lost_by_all(asked, states, random.permutation(lengths[0]), whole) for _ in range(orders)]
    else:
        drawn = [lost([random.permutation(length) for length in lengths]) for _ in range(orders)]
    found, null = np.array(ordered), np.array(drawn)
    return Faithfulness(
        methods=tuple(scores),
        side=side,
        operator=operator,
        shares=SHARES,
        without=found[:, 0],
        alone=found[:, 1],
        random_without=null[:, 0],
        random_alone=null[:, 1],
    )


def _steps(length: int) -> tuple[list[int], np.ndarray]:
    """How many tokens each step takes, each number once, and which of them every step is."""
    counts, place = np.unique(np.ceil(SHARES * length - 1e-9).astype(int), return_inverse=True)
    return counts.tolist(), place


def _lost(
    asked: Question, states: Without, side: Side, order: Sequence[np.ndarray], whole: np.ndarray
) -> Float[np.ndarray, "2 K"]:
    """Without the first tokens, and with them alone, means over rows that have an order each."""
    steps = [_steps(len(tokens)) for tokens in order]
    sets = [
        (row, part)
        for row, (tokens, (counts, _)) in enumerate(zip(order, steps, strict=True))
        for part in (*(tokens[:count] for count in counts), *(tokens[count:] for count in counts))
    ]
    left, found, first = _values(asked, states, side, sets), [], 0
    for row, (counts, place) in enumerate(steps):
        both = whole[row] - left[first : first + 2 * len(counts)].reshape(2, -1)
        found.append(both[:, place])
        first += 2 * len(counts)
    return np.mean(found, axis=0)


@torch.no_grad()
def _lost_by_all(asked: Question, states: Without, order: np.ndarray, whole: np.ndarray) -> Float[np.ndarray, "2 K"]:
    """The same of source tokens in one order."""
    inputs, (counts, place) = asked.inputs, _steps(len(order))
    sets = [*(order[:count] for count in counts), *(order[count:] for count in counts)]
    device, size, left = inputs.source.device, batch_rows(inputs), []
    for first in range(0, len(sets), size):
        some = sets[first : first + size]
        gone = torch.stack([_set(tokens, len(order)) for tokens in some]).to(device)
        found = states((gone, torch.zeros(len(some), len(inputs.target), dtype=torch.bool, device=device)))
        left.append(torch.stack([asked.explained.of(inputs, found, rows) for rows in asked.outputs], dim=1))
    lost = whole - torch.cat(left).double().cpu().numpy()
    return lost.mean(-1).reshape(2, -1)[:, place]


@torch.no_grad()
def _values(asked: Question, states: Without, side: Side, sets: Sequence[tuple[int, np.ndarray]]) -> np.ndarray:
    """What is explained of some rows, each without a set of tokens. Sets are in the order of their rows."""
    inputs, size, found = asked.inputs, batch_rows(asked.inputs), []
    device = inputs.source.device
    for first in range(0, len(sets), size):
        some = sets[first : first + size]
        longest = some[-1][0] + 1
        gone = torch.stack([_set(tokens, len(inputs.source) if side == "source" else longest) for _, tokens in some])
        none = torch.zeros(len(some), longest, dtype=torch.bool)
        # A source of which nothing is taken away is read once.
        given = (gone, none) if side == "source" else (torch.zeros(1, len(inputs.source), dtype=torch.bool), gone)
        rows = torch.tensor([row for row, _ in some], device=device)
        left = states((given[0].to(device), given[1].to(device)))
        found.append(_of_rows(asked, left[torch.arange(len(some), device=device), rows], rows).double().cpu().numpy())
    return np.concatenate(found)


def _set(tokens: np.ndarray, length: int) -> Bool[Tensor, " length"]:
    found = torch.zeros(length, dtype=torch.bool)
    found[torch.from_numpy(tokens)] = True
    return found


def _of_rows(asked: Question, states: Tensor, rows: Tensor) -> Tensor:
    """What is explained, of states that are each of a row of its own."""
    logits = asked.inputs.logits(states)
    values = logits.new_zeros(len(rows))
    for row in rows.unique().tolist():
        of_row = rows == row
        values[of_row] = asked.explained.value(logits[of_row], asked.inputs.predicts, row)
    return values
