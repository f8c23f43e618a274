"""The one seam through which activations are read or changed.

A probe is given to one call of the model and belongs to it: nothing is stored on the model, so one model serves many
threads. Reading attention, removing heads, replacing weights, patching activations and taking gradients are all probes.

`B` batch, `H` heads, `Q` queries, `K` keys, `d` width of a head, `D` width of the model.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from headscope.model.network.cache import DecoderCache
from headscope.model.network.masks import Mask
from headscope.model.network.positions import PositionScheme
from headscope.model.sites import AttentionKind, Side, Site


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Who may look at whom in one kind of attention, and where they stand."""

    mask: Mask | None
    """None: every query may look at every key."""
    queries: Int[Tensor, " Q"]
    """Positions, from 0; in a search only that of the newest piece."""
    keys: Int[Tensor, " K"]
    """Positions, from 0; those in the cache among them."""

    def allowed(self, row: int) -> Bool[Tensor, "Q K"]:
        """Which keys each query may look at in one sentence of the batch."""
        if self.mask is None:
            return torch.ones(len(self.queries), len(self.keys), dtype=torch.bool, device=self.keys.device)
        allowed = self.mask.allowed[row if len(self.mask.allowed) > 1 else 0, 0]
        return allowed.expand(len(self.queries), len(self.keys))


@dataclass(frozen=True, slots=True, eq=False)
class ForwardContext:
    """What all layers share in one pass of the encoder, or of the decoder."""

    links: Mapping[AttentionKind, Links]
    """Of the kinds of attention in this pass."""
    positions: PositionScheme
    cache: DecoderCache | None = None
    """Of the decoder: what is kept between the steps, and the source side."""
    probe: "Probe | None" = None


class Probe:
    """Every method is the identity: override the ones of interest. The model goes on with what a method returns.

    A site for which `wants` is False stays on the fastest path, and none of its methods is called. In a search the
    decoder is called once a step, with the newest piece of each hypothesis as the only query: `B` counts hypotheses.
    """

    def wants(self, site: Site) -> bool:
        """Whether this site's methods are to be called."""
        return False

    def describe(self) -> str:
        """What it does, in words that belong to nothing else: two probes of one description do the same.

        One that does not say so is taken for different from every other, itself at another time included.
        """
        return f"{type(self).__name__} {uuid.uuid4().hex}"

    def begin(self, forward: ForwardContext) -> None:
        """Before the first layer of the encoder, or of the decoder, in every pass and every step of a search."""

    def positions(self, side: Side, scheme: PositionScheme) -> PositionScheme:
        """By which scheme the tokens of a side know where they stand; asked in every pass, and every step of a search.

        Between the sides there are no distances, so it has no part in cross-attention.
        """
        return scheme

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries [B H Q d], keys and values [B H K d], after any rotation for positions."""
        return query, key, value

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        """[B H Q K]: query times key over sqrt(d), position bias added, before the mask.

        Minus infinity closes a key; in every row one of the keys that the mask allows has to stay open.
        """
        return scores

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """[B H Q K]: after the softmax, before dropout."""
        return weights

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """[B H Q d]: weights times values, a head each, before the output projection."""
        return context

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        """After a sub-layer, all [B Q D]: the stream it found, what it adds, and the stream it leaves.

        Post-norm leaves LayerNorm(stream + update), pre-norm stream + update; the statistics of the norm are those of
        stream + update, or of the stream.
        """
        return normed

    def embedded(self, side: Side, tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        """What enters the first layer: scaled embeddings [B Q D], the positions' vectors [Q D], and their sum."""
        return total

    def logits(self, logits: Tensor) -> Tensor:
        """[B Q V]: before the softmax over the vocabulary."""
        return logits


class Probes(Probe):
    """Several probes as one: at every site each that wants it, in order; each sees what the one before it left."""

    def __init__(self, *probes: Probe) -> None:
        self._probes = probes

    def wants(self, site: Site) -> bool:
        """Any of them does."""
        return any(probe.wants(site) for probe in self._probes)

    def describe(self) -> str:
        """All that they do."""
        return ", then ".join(probe.describe() for probe in self._probes)

    def begin(self, forward: ForwardContext) -> None:
        """Told to all."""
        for probe in self._probes:
            probe.begin(forward)

    def positions(self, side: Side, scheme: PositionScheme) -> PositionScheme:
        """In order, by all."""
        for probe in self._probes:
            scheme = probe.positions(side, scheme)
        return scheme

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """In order."""
        for probe in self._at(site):
            query, key, value = probe.projections(site, query, key, value)
        return query, key, value

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        """In order."""
        for probe in self._at(site):
            scores = probe.scores(site, scores)
        return scores

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """In order."""
        for probe in self._at(site):
            weights = probe.weights(site, weights)
        return weights

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """In order."""
        for probe in self._at(site):
            context = probe.context(site, weights, value, context)
        return context

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        """In order."""
        for probe in self._at(site):
            normed = probe.residual(site, stream, update, normed)
        return normed

    def embedded(self, side: Side, tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        """In order, by all."""
        for probe in self._probes:
            total = probe.embedded(side, tokens, positions, total)
        return total

    def logits(self, logits: Tensor) -> Tensor:
        """In order, by all."""
        for probe in self._probes:
            logits = probe.logits(logits)
        return logits

    def _at(self, site: Site) -> list[Probe]:
        return [probe for probe in self._probes if probe.wants(site)]
