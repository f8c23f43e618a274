"""Label-smoothed cross-entropy, in the definition of tensor2tensor and fairseq.

The gold piece has probability q = 1 - ε, each of the V - 1 others q = ε / (V - 1); the pad piece is one of these.
(Torch and Sockeye spread ε over all V, the Annotated Transformer and JoeyNMT over V - 2.)

`N` positions, `D` width of the model, `V` target vocabulary.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from headscope.model.network.device import product_dtype


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    """Sums over positions, in nats."""

    smoothed: Float[Tensor, ""]
    """-Σ q log p: what is minimised. Its mean cannot fall below `smoothing_floor`."""
    nll: Float[Tensor, ""]
    """-log p(gold), without smoothing and without a gradient: perplexity is exp of its mean."""


def label_smoothed_cross_entropy(
    states: Float[Tensor, "N D"],
    weight: Float[Tensor, "V D"],
    bias: Float[Tensor, " V"] | None,
    gold: Int[Tensor, " N"],
    *,
    smoothing: float,
) -> Loss:
    """The loss of predicting `gold` by the logits states·weightᵀ + bias, summed over positions.

    Products have the precision of autocast; everything else is float32 at least.
    """
    return Loss(*_ProjectedCrossEntropy.apply(states, weight, bias, gold, smoothing))


def smoothing_floor(vocabulary: int, smoothing: float) -> float:
    """The entropy of q, in nats: the least mean loss that any model can reach."""
    if smoothing == 0:
        return 0.0
    return -(1 - smoothing) * math.log(1 - smoothing) - smoothing * math.log(smoothing / (vocabulary - 1))


def _rows_at_once(device: torch.device) -> int:
    """Positions whose logits are in memory together: a CPU is fast where its caches hold them, a GPU with many."""
    return 256 if device.type == "cpu" else 8192


class _ProjectedCrossEntropy(torch.autograd.Function):
    """The gradient for the logits, softmax - q, comes almost for free with the loss, so it goes on to states and
    weights at once, and no [N V] matrix is ever made: to fetch and fill that memory takes a CPU a fifth of an update.
    """

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, bias: Tensor | None, gold: Tensor, smoothing: float
    ) -> tuple[Tensor, Tensor]:
        dtype = product_dtype(states)
        wide = torch.promote_types(dtype, torch.float32)
        w, b = weight.to(dtype), None if bias is None else bias.to(dtype)
        other = smoothing / (len(w) - 1)
        at_gold, everywhere = states.new_zeros(2, dtype=wide).unbind()
        to_weight, to_bias = torch.zeros_like(weight), torch.zeros_like(weight[:, 0])
        to_states = []
        size = _rows_at_once(states.device)
        for rows, targets in zip(states.to(dtype).split(size), gold[:, None].split(size), strict=True):
            x = F.linear(rows, w, b).to(wide)
            x.sub_(x.amax(-1, keepdim=True))
            of_gold, total = x.gather(-1, targets).sum(), x.sum()
            mass = x.exp_().sum(-1, keepdim=True)
            log_mass = mass.log().sum()
            at_gold = at_gold + of_gold - log_mass
            everywhere = everywhere + total - len(w) * log_mass
            if any(ctx.needs_input_grad):
                gradient = x.div_(mass).sub_(other)
                gradient.scatter_add_(-1, targets, torch.full_like(targets, smoothing + other - 1, dtype=wide))
                to_bias += gradient.sum(0)
                gradient = gradient.to(dtype)
                to_states.append(gradient @ w)
                to_weight += gradient.t() @ rows
        if to_states:
            ctx.save_for_backward(torch.cat(to_states).to(states.dtype), to_weight, None if bias is None else to_bias)
        smoothed = -(1 - smoothing - other) * at_gold - other * everywhere
        nll = -at_gold
        ctx.mark_non_differentiable(nll)
        return smoothed, nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        scale = gradients[0]
        return (*(None if found is None else found * scale for found in ctx.saved_tensors), None, None)
