"""Heads removed or replaced: probes that any pass and any search can be given.

`R` rows of a batch, `H` heads, `Q` queries, `K` keys, `d` width of a head.

Zero, mean and resampled removal ask different questions. Zero takes the head away and leaves later layers a vector they
may never have seen; the corpus mean takes away only what the head says about this sentence; a resampled head says what
it would say about another one. All three act on what the head puts out, before the output projection, so the
projection's bias stays. Uniform attention keeps the head's values and takes away its choice.
"""

from collections.abc import Iterable, Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.capture.forced import digest, forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, batches
from headscope.analysis.records.heads import Head, require, site_of
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.progress import Progress
from headscope.model.sites import KINDS, Anatomy, AttentionKind, Site
from headscope.model.translator import BATCH_TOKENS, Translator

Contexts = Mapping[Site, Float[Tensor, "H Q d"]]
"""What every head put out in one sentence pair, row by row."""
Means = Mapping[Site, Float[Tensor, "H d"]]
"""What every head puts out on average."""


class HeadProbe(Probe):
    """Something that is done to a set of heads."""

    def __init__(self, model: Anatomy, heads: Iterable[Head]) -> None:
        """Choose the heads.

        Args:
            model: or its configuration.

        Raises:
            HeadscopeError: the model lacks one of them.
        """
        heads = sorted(set(heads))
        require(model, heads)
        self._names = [str(head) for head in heads]
        self._heads: dict[Site, list[int]] = {}
        for head in heads:
            self._heads.setdefault(site_of(model, head), []).append(head.head)

    def wants(self, site: Site) -> bool:
        """The attention these heads are in."""
        return site in self._heads

    def describe(self) -> str:
        """What is done, to which heads."""
        return " ".join([type(self).__name__, *self._names])


class Zeroed(HeadProbe):
    """Heads that put out nothing."""

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """Zeros in the place of these heads' outputs."""
        return _put(context, self._heads[site], torch.zeros_like(context))


class MeanReplaced(HeadProbe):
    """Heads that put out the same vector in every row: their mean over a corpus, see `mean_contexts`."""

    def __init__(self, model: Anatomy, heads: Iterable[Head], means: Means) -> None:
        super().__init__(model, heads)
        self._means = means

    def describe(self) -> str:
        """With what is put in their place."""
        return f"{super().describe()} {digest([self._means[site] for site in self._heads])}"

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """The mean in the place of these heads' outputs."""
        return _put(context, self._heads[site], self._means[site][:, None].expand_as(context))


class Resampled(HeadProbe):
    """Heads that put out what they did in another sentence pair, see `contexts`.

    Row t gets the other pair's row t; where that one is shorter, its rows again from the first.
    """

    def __init__(self, model: Anatomy, heads: Iterable[Head], other: Contexts) -> None:
        super().__init__(model, heads)
        self._other = other
        self._links: dict[AttentionKind, Links] = {}

    def describe(self) -> str:
        """With what is put in their place."""
        return f"{super().describe()} {digest([self._other[site] for site in self._heads])}"

    def begin(self, forward: ForwardContext) -> None:
        """Keep where the rows stand, for a search reads the target piece by piece."""
        self._links |= forward.links

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """The other pair's rows in the place of these heads' outputs."""
        other = self._other[site]
        assert site.kind in KINDS
        rows = self._links[site.kind].queries % other.shape[1]
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
        return site.attends

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
            real = forced.present if site.queries == "source" else forced.real
            total = torch.einsum("rhqd,rq->hd", seen.double(), real.double())
            totals[site] = totals.get(site, 0) + total
        rows["source"] += int(forced.present.sum())
        rows["target"] += int(forced.real.sum())
    dtype = next(iter(translator.model.parameters())).dtype
    return {site: (total / rows[site.queries]).to(dtype) for site, total in totals.items()}


def _put(
    into: Float[Tensor, "R H Q n"], heads: Sequence[int], new: Float[Tensor, "R H Q n"]
) -> Float[Tensor, "R H Q n"]:
    """A copy with the slices of some heads taken from `new`."""
    chosen = torch.zeros(into.shape[1], dtype=torch.bool, device=into.device)
    chosen[list(heads)] = True
    return torch.where(chosen[:, None, None], new, into)
