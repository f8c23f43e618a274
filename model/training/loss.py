"""Label-smoothed cross-entropy, in the definition of tensor2tensor and fairseq.

The gold piece has probability 1 - ε, each of the V - 1 others ε / (V - 1); the pad piece is one of these others. (Torch
and Sockeye spread ε over all V, the Annotated Transformer and JoeyNMT over V - 2.)

`N` positions, `V` target vocabulary.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True, eq=False, slots=True)
class Loss:
    """Sums over positions, in nats."""

    smoothed: Float[Tensor, ""]
    """What is minimised. Its mean cannot fall below `smoothing_floor`."""
    nll: Float[Tensor, ""]
    """-log p(gold), without smoothing and without a gradient: perplexity is exp of its mean."""


def label_smoothed_cross_entropy(
    logits: Float[Tensor, "N V"], gold: Int[Tensor, " N"], *, smoothing: float, pad: int
) -> Loss:
    """The loss of predicting `gold`, summed over the positions whose gold piece is not `pad`.

    Logits at ignored positions are never touched, whatever they hold; where all are ignored, loss and gradients are 0.
    Computed in float32 at least, whatever the logits come in.
    """
    real = gold != pad
    if not bool(real.all()):
        logits, gold = logits[real], gold[real]
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    # Torch's q is 1 - e + e/V for gold and e/V for others: with e = εV / (V - 1) it is ours.
    size = logits.shape[-1]
    smoothed = F.cross_entropy(logits, gold, reduction="sum", label_smoothing=smoothing * size / (size - 1))
    with torch.no_grad():
        nll = (logits.logsumexp(-1) - logits.gather(-1, gold[:, None])[:, 0]).sum()
    return Loss(smoothed, nll)


def smoothing_floor(vocabulary: int, smoothing: float) -> float:
    """The entropy of the smoothed target, in nats: the least mean loss that any model can reach."""
    if smoothing == 0:
        return 0.0
    return -(1 - smoothing) * math.log(1 - smoothing) - smoothing * math.log(smoothing / (vocabulary - 1))
