"""Attention itself, averaged over heads and layers: what other methods are compared with."""

import torch
from torch import Tensor

from headscope.analysis.attribution.attention_gradients import AttentionWeights
from headscope.analysis.attribution.gradients import ends
from headscope.analysis.attribution.method import Found, Method, Question
from headscope.model.sites import AttentionKind


@torch.no_grad()
def attention(asked: Question) -> Found:
    """The weights of cross-attention, and of the decoder's self-attention, each row with a sum of 1.

    Raises:
        HeadscopeError: the model has no heads of one of these kinds.
    """
    capabilities, probe, inputs = asked.translator.model.capabilities(), AttentionWeights(), asked.inputs
    capabilities.require_kind("cross")
    capabilities.require_kind("decoder")
    inputs.states(inputs.source[None], inputs.target[None], probe=probe)

    def mean(kind: AttentionKind) -> Tensor:
        return torch.cat([weights[0] for site, weights in probe.seen.items() if site.kind == kind]).mean(0)[..., None]

    values, _ = ends(inputs, asked.explained, (inputs.source, inputs.target))
    asked.progress.update(1, 1)
    return Found(mean("cross"), mean("decoder"), values)


METHOD = Method(
    name="attention",
    meaning="attention, averaged over all heads: where the model looks, which is not yet what it does",
    reference="Vaswani et al. 2017",
    cost="one pass",
    signed=False,
    run=attention,
    explains=False,
)
