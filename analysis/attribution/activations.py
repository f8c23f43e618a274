"""Activations of one pass kept, and put into another: at the embeddings, behind any sub-layer, or in any head.

`N` sources and `R` targets of a batch of `S` and `T` pieces, `H` heads, `d` width of a head, `D` width of the model,
`n` places that are patched, `w` width of what is put there.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.analysis.capture.forced import ForcedBatch, log_probs
from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.sites import Side, Site


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """What a pass over a batch left at every point where it can be changed."""

    embedded: Mapping[Side, Tensor]
    """What entered the first layer: [N S D] of the source, [R T D] of the target."""
    streams: Mapping[Site, Tensor]
    """The residual stream behind every sub-layer: the same shapes."""
    contexts: Mapping[Site, Tensor]
    """[N H S d] or [R H T d]: what every head put out, before the output projection."""
    log_probs: Float[Tensor, "R T"]
    """Of what the target should predict; 0 at padding."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """Numbers, and where they are put."""

    rows: Int[Tensor, " n"]
    positions: Int[Tensor, " n"]
    values: Float[Tensor, "n w"]
    """Of the width of the model, or of a head."""
    heads: Int[Tensor, " n"] | None = None
    """None: into the stream."""

    def put(self, into: Tensor) -> Tensor:
        """A copy that has them."""
        into = into.clone()
        if self.heads is None:
            into[self.rows, self.positions] = self.values
        else:
            into[self.rows, self.heads, self.positions] = self.values
        return into


class Patched(Probe):
    """A pass that goes on with other activations; of the target it reads all pieces at once."""

    def __init__(self, patches: Mapping[Site | Side, Patch]) -> None:
        """Say what is put where: at the embeddings of a side, or at a site."""
        self._patches = patches

    def wants(self, site: Site) -> bool:
        """The sites of the patches."""
        return site in self._patches

    def embedded(self, side: Side, tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        """The other embeddings, positions added."""
        return self._patches[side].put(total) if side in self._patches else total

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        """The other contexts, of single heads."""
        patch = self._patches[site]
        return context if patch.heads is None else patch.put(context)

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        """The other stream."""
        patch = self._patches[site]
        return patch.put(normed) if patch.heads is None else normed


class _Kept(Probe):
    def __init__(self) -> None:
        self.entering: dict[Side, Tensor] = {}
        self.streams: dict[Site, Tensor] = {}
        self.contexts: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return True

    def embedded(self, side: Side, tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        self.entering[side] = total
        return total

    def context(self, site: Site, weights: Tensor, value: Tensor, context: Tensor) -> Tensor:
        self.contexts[site] = context
        return context

    def residual(self, site: Site, stream: Tensor, update: Tensor, normed: Tensor) -> Tensor:
        self.streams[site] = normed
        return normed


@torch.no_grad()
def activations(model: Seq2Seq, batch: ForcedBatch) -> Activations:
    """Read a batch, teacher-forced, and keep all of it.

    Raises:
        HeadscopeError: the model has no residual stream, or a log-probability is not finite.
    """
    model.capabilities().require_residual_stream("patching")
    probe = _Kept()
    found = log_probs(model, batch, probe=probe)
    return Activations(probe.entering, probe.streams, probe.contexts, found)
