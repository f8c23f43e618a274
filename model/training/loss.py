"""Label-smoothed cross-entropy, in the definition of tensor2tensor and fairseq.

The gold piece has probability q = 1 - ε, each of the V - 1 others q = ε / (V - 1); the pad piece is one of these.
(Torch and Sockeye spread ε over all V, the Annotated Transformer and JoeyNMT over V - 2.)

`N` positions, `V` target vocabulary.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    """Sums over positions, in nats."""

    smoothed: Float[Tensor, ""]
    """-Σ q log p: what is minimised. Its mean cannot fall below `smoothing_floor`."""
    nll: Float[Tensor, ""]
    """-log p(gold), without smoothing and without a gradient: perplexity is exp of its mean."""


def label_smoothed_cross_entropy(
    logits: Float[Tensor, "N V"], gold: Int[Tensor, " N"], *, smoothing: float, pad: int | None = None
) -> Loss:
    """The loss of predicting `gold`, summed over the positions whose gold piece is not `pad` (None: over all).

    Logits at ignored positions are never touched, whatever they hold; where all are ignored, loss and gradients are 0.
    Computed in float32 at least, whatever the logits come in.
    """
    if pad is not None:
        real = gold != pad
        logits, gold = logits[real], gold[real]
    return Loss(*_SmoothedCrossEntropy.apply(logits, gold, smoothing))


def smoothing_floor(vocabulary: int, smoothing: float) -> float:
    """The entropy of q, in nats: the least mean loss that any model can reach."""
    if smoothing == 0:
        return 0.0
    return -(1 - smoothing) * math.log(1 - smoothing) - smoothing * math.log(smoothing / (vocabulary - 1))


class _SmoothedCrossEntropy(torch.autograd.Function):
    """The gradient, softmax(logits) - q, comes almost for free with the loss; autograd would pass over [N V] several
    times more, which on a CPU is a sixth of a training step."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, gold: Tensor, smoothing: float) -> tuple[Tensor, Tensor]:
        other = smoothing / (logits.shape[-1] - 1)
        x = logits.to(torch.promote_types(logits.dtype, torch.float32))
        x = x - x.amax(-1, keepdim=True)
        total, at_gold = x.sum(-1), x.gather(-1, gold[:, None])[:, 0]
        mass = x.exp_().sum(-1)
        log_mass = mass.log()
        nll = log_mass - at_gold
        smoothed = (1 - smoothing - other) * nll + other * (logits.shape[-1] * log_mass - total)
        if ctx.needs_input_grad[0]:
            gradient = x.div_(mass[:, None]).sub_(other)
            gradient.scatter_add_(-1, gold[:, None], gradient.new_full((len(gold), 1), smoothing + other - 1))
            ctx.save_for_backward(gradient.to(logits.dtype))
        nll = nll.sum()
        ctx.mark_non_differentiable(nll)
        return smoothed.sum(), nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return gradient * gradients[0], None, None
