"""Attention × gradient (Serrano and Smith 2019; of a Transformer's heads, Barkan et al. 2021)."""

import torch
from torch import Tensor

from headscope.analysis.attribution.attention_gradients import attention_gradients
from headscope.analysis.attribution.method import Found, Method, Question
from headscope.model.sites import AttentionKind


def attention_x_gradient(asked: Question) -> Found:
    """Weight times gradient, summed over all heads and layers of cross-attention and of the decoder's self-attention.

    A column is the place that was looked at, whatever has come to stand there below. What heads of the encoder did is
    in `attention_by_head`.

    Raises:
        HeadscopeError: the model has no heads of one of these kinds.
    """
    capabilities = asked.translator.model.capabilities()
    capabilities.require_kind("cross")
    capabilities.require_kind("decoder")
    weighted, values = attention_gradients(asked)

    def summed(kind: AttentionKind) -> Tensor:
        found = [part.sum((1, 2)) for site, part in weighted.items() if site.kind == kind]
        return torch.stack(found).sum(0)[..., None]

    return Found(summed("cross"), summed("decoder"), values)


METHOD = Method(
    name="attention x gradient",
    meaning="attention times its gradient, over all heads: to first order, what runs through these weights",
    reference="Serrano and Smith 2019",
    cost="one pass",
    signed=True,
    run=attention_x_gradient,
)
