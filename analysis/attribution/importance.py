"""How much each head matters for one sentence: by removing it, and by the gradient of a gate.

`R` rows of a batch, `H` heads, `T` tokens of the target. A number is to be read against those of all heads of the
model: rank and quantile are there for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.capture.forced import ForcedBatch, digest, forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.heads import Head, all_heads, site_of
from headscope.analysis.records.table import Table
from headscope.model.network.finite import require_finite
from headscope.model.network.probe import Probe
from headscope.model.progress import Progress, Silent
from headscope.model.sites import Site
from headscope.model.translator import BATCH_TOKENS, Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class HeadImportance(Table):
    """What becomes of the log-probability of one target."""

    heads: tuple[Head, ...]
    change: np.ndarray
    """One number a head, in nats. `removal`: log-probability without the head minus that with all heads. `gradient`:
    its derivative with respect to a gate on the head's output, at 1; to first order, removal is minus that."""
    measure: Literal["removal", "gradient"]
    by_token: np.ndarray | None = None
    """`removal`: [heads, T], what becomes of each token of the target; a row sums to `change`. `gradient`: None."""

    @property
    def importance(self) -> np.ndarray:
        """The size of the change: what heads are ranked by (Michel et al. 2019, equation 2)."""
        return np.abs(self.change)

    @property
    def rank(self) -> np.ndarray:
        """1 for the head that matters most."""
        return 1 + (self.importance[:, None] < self.importance).sum(-1)

    @property
    def ranked(self) -> tuple[Head, ...]:
        """The heads, that which matters most first; equal ones in the order of the model."""
        return tuple(self.heads[at] for at in np.argsort(-self.importance, kind="stable"))

    @property
    def quantile(self) -> np.ndarray:
        """Share of all heads that matter less, from 0 to 1."""
        return (self.importance[:, None] > self.importance).mean(-1)

    def to_pandas(self) -> "DataFrame":
        """One row a head: kind, layer, head, change, importance, rank, quantile."""
        import pandas as pd

        table = pd.DataFrame(self.heads, columns=list(Head._fields))
        return table.assign(change=self.change, importance=self.importance, rank=self.rank, quantile=self.quantile)


class HeadGates(Probe):
    """Every head's output times a gate of its own, in every row of the batch."""

    def __init__(self, gates: Mapping[Site, Float[Tensor, "R H"]]) -> None:
        """Gates by site; one row serves all rows of a batch. Sites without gates stay as they are."""
        self._gates = gates

    def wants(self, site: Site) -> bool:
        """Those with gates."""
        return site in self._gates

    def describe(self) -> str:
        """Which gates stand how."""
        return f"HeadGates {[tuple(site) for site in self._gates]} {digest(self._gates.values())}"

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """Apply them."""
        return context * self._gates[site][:, :, None, None]


@torch.inference_mode()
def removal_importance(
    translator: Translator, pair: SentencePair, *, batch_tokens: int = BATCH_TOKENS, progress: Progress | None = None
) -> HeadImportance:
    """Set every head to zero, each in its own row of a batch.

    Args:
        batch_tokens: padded target pieces that are read at once.
        progress: told how many heads are done.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    model, progress = translator.model, progress or Silent()
    batch = forced_batch(translator, [pair])
    intact = log_probs(model, batch)[0].double()
    heads, changes = all_heads(model), []
    for group in _groups(translator, heads, max(1, batch_tokens // max(batch.reads.shape[1], batch.source.shape[1]))):
        progress.update(len(changes), len(heads))
        without = log_probs(model, _beside(translator, batch, group), probe=_without(translator, group))
        changes += [*(without.double() - intact).cpu().numpy()]
    progress.update(len(heads), len(heads))
    by_token = np.stack(changes)
    return HeadImportance(heads, by_token.sum(-1), "removal", by_token)


def gradient_importance(translator: Translator, pairs: Sequence[SentencePair]) -> list[HeadImportance]:
    """The derivative of each target's log-probability with respect to a gate on every head (Michel et al. 2019,
    section 4.1), all pairs in one padded pass. Over a corpus, average `importance`.

    Raises:
        HeadscopeError: a derivative is not finite.
    """
    heads = all_heads(translator.model)
    places = [site_of(translator.model, head) for head in heads]
    with torch.inference_mode(False), torch.enable_grad():
        batch = forced_batch(translator, pairs)
        gates = {site: _open(translator, len(pairs), site).requires_grad_() for site in dict.fromkeys(places)}
        found = log_probs(translator.model, batch, probe=HeadGates(gates))
        by_site = dict(zip(gates, torch.autograd.grad(found.sum(), list(gates.values())), strict=True))
    for slopes in by_site.values():
        require_finite(slopes, translator.model, "gradients")
    return [
        HeadImportance(
            heads,
            np.array([by_site[site][row, head.head].item() for site, head in zip(places, heads, strict=True)]),
            "gradient",
        )
        for row in range(len(pairs))
    ]


def _groups(translator: Translator, heads: Sequence[Head], size: int) -> Iterator[list[Head]]:
    """Heads that share a pass; those of encoder and decoder apart, for the latter need the source encoded once only."""
    for _, side in groupby(heads, key=lambda head: site_of(translator.model, head).queries):
        row = list(side)
        yield from (row[first : first + size] for first in range(0, len(row), size))


def _beside(translator: Translator, batch: ForcedBatch, group: Sequence[Head]) -> ForcedBatch:
    reads_source = site_of(translator.model, group[0]).queries == "source"
    return batch.repeat(len(group)) if reads_source else batch.fan_out(len(group))


def _without(translator: Translator, group: Sequence[Head]) -> HeadGates:
    """Gates that close the i-th head in row i."""
    places = [site_of(translator.model, head) for head in group]
    gates = {site: _open(translator, len(group), site) for site in places}
    for row, (site, head) in enumerate(zip(places, group, strict=True)):
        gates[site][row, head.head] = 0
    return HeadGates(gates)


def _open(translator: Translator, rows: int, site: Site) -> Float[Tensor, "R H"]:
    return next(iter(translator.model.parameters())).new_ones(rows, site.heads)
