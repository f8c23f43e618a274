"""Heads removed or replaced: probes that any pass and any search can be given.

`R` rows of a batch, `H` heads, `Q` queries, `K` keys, `d` width of a head.

Zero, mean and resampled removal ask different questions. Zero takes the head away and leaves later layers a vector they
may never have seen; the corpus mean takes away only what the head says about this sentence; a resampled head says what
it would say about another one. All three act on what the head puts out, before the output projection, so the
projection's bias stays. Uniform attention keeps the head's values and takes away its choice.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, batches
from headscope.analysis.records.heads import KINDS, Head, require
from headscope.model.config import ModelConfig
from headscope.model.network.probe import Probe, Site
from headscope.model.progress import Progress
from headscope.model.translator import BATCH_TOKENS, Translator

Contexts = Mapping[Site, Float[Tensor, "H Q d"]]
"""What every head put out in one sentence pair, row by row."""
Means = Mapping[Site, Float[Tensor, "H d"]]
"""What every head puts out on average."""


class HeadProbe(Probe):
    """Something that is done to a set of heads."""

    def __init__(self, config: ModelConfig, heads: Iterable[Head]) -> None:
        """Choose the heads.

        Raises:
            HeadscopeError: the model lacks one of them.
        """
        heads = sorted(set(heads))
        require(config, heads)
        self._heads: dict[Site, list[int]] = {}
        for kind, layer, head in heads:
            self._heads.setdefault(Site(kind, layer), []).append(head)

    def wants(self, site: Site) -> bool:
        """The attention these heads are in."""
        return site in self._heads


class Zeroed(HeadProbe):
    """Heads that put out nothing."""

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """Zeros in the place of these heads' outputs."""
        return _put(context, self._heads[site], torch.zeros_like(context))


class MeanReplaced(HeadProbe):
    """Heads that put out the same vector in every row: their mean over a corpus, see `mean_contexts`."""

    def __init__(self, config: ModelConfig, heads: Iterable[Head], means: Means) -> None:
        super().__init__(config, heads)
        self._means = means

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """The mean in the place of these heads' outputs."""
        return _put(context, self._heads[site], self._means[site][:, None].expand_as(context))


class Resampled(HeadProbe):
    """Heads that put out what they did in another sentence pair, see `contexts`.

    Row t gets the other pair's row t; where that one is shorter, its rows again from the first.
    """

    def __init__(self, config: ModelConfig, heads: Iterable[Head], other: Contexts) -> None:
        super().__init__(config, heads)
        self._other = other
        self._first = self._read = 0

    def embedded(self, side: Literal["source", "target"], tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        """Count what was read, for a search reads the target piece by piece."""
        self._first = 0 if side == "source" else self._read
        self._read = 0 if side == "source" else self._read + tokens.shape[1]
        return total

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """The other pair's rows in the place of these heads' outputs."""
        other = self._other[site]
        rows = torch.arange(self._first, self._first + context.shape[2], device=other.device) % other.shape[1]
        return _put(context, self._heads[site], other[:, rows].expand_as(context))


class UniformAttention(HeadProbe):
    """Heads that look at all keys they may look at alike."""

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        """Equal scores; the mask comes after them."""
        return _put(scores, self._heads[site], torch.zeros_like(scores))


class _ContextProbe(Probe):
    """Keeps what every head puts out."""

    def __init__(self) -> None:
        self.seen: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site.kind in KINDS

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        self.seen[site] = context
        return context


@torch.no_grad()
def contexts(translator: Translator, pair: SentencePair) -> Contexts:
    """What every head puts out in one sentence pair, teacher-forced."""
    probe = _ContextProbe()
    log_probs(translator.model, forced_batch(translator, [pair]), probe=probe)
    return {site: seen[0] for site, seen in probe.seen.items()}


@torch.no_grad()
def mean_contexts(
    translator: Translator,
    pairs: Sequence[SentencePair],
    *,
    batch_tokens: int = BATCH_TOKENS,
    progress: Progress | None = None,
) -> Means:
    """What every head puts out on average over all rows of a corpus, teacher-forced; each row counts once.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    totals: dict[Site, Tensor] = {}
    rows = {"source": 0, "target": 0}
    for batch in batches(pairs, tokens=batch_tokens, progress=progress):
        forced, probe = forced_batch(translator, batch), _ContextProbe()
        log_probs(translator.model, forced, probe=probe)
        for site, seen in probe.seen.items():
            real = forced.present if site.kind == "encoder" else forced.real
            total = torch.einsum("rhqd,rq->hd", seen.double(), real.double())
            totals[site] = totals.get(site, 0) + total
        rows["source"] += int(forced.present.sum())
        rows["target"] += int(forced.real.sum())
    dtype = translator.model.source_embedding.weight.dtype
    return {
        site: (total / rows["source" if site.kind == "encoder" else "target"]).to(dtype)
        for site, total in totals.items()
    }


def _put(
    into: Float[Tensor, "R H Q n"], heads: Sequence[int], new: Float[Tensor, "R H Q n"]
) -> Float[Tensor, "R H Q n"]:
    """A copy with the slices of some heads taken from `new`."""
    chosen = torch.zeros(into.shape[1], dtype=torch.bool, device=into.device)
    chosen[list(heads)] = True
    return torch.where(chosen[:, None, None], new, into)
