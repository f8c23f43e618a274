"""Dropout whose masks cost little on a CPU.

Drawing a Bernoulli number for every element takes a quarter of a training step on a CPU; one 64-bit draw gives eight
masks of a byte each. A byte resolves the rate to 1/256: the share of kept elements is rounded to it, and kept elements
are scaled by exactly that share, in float32 where the elements are bf16, so the expectation is exact. On CUDA the
built-in dropout is the fast one.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def dropout(x: Tensor, rate: float, training: bool) -> Tensor:
    """Zero elements with probability `rate` and scale the others up (Srivastava et al. 2014), in training only."""
    if not training or rate == 0.0:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, rate)
    kept = max(1, round((1 - rate) * 256))
    if kept == 256:
        return x  # a byte is always below 256, and 256 does not fit into one
    words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64).random_(torch.iinfo(torch.int64).min, None)
    bytes_ = words.view(torch.uint8)[: x.numel()].view(x.shape)
    mask = torch.lt(bytes_, kept, out=torch.empty_like(x, requires_grad=False))
    return _Scaled.apply(x, mask, 256 / kept)


class _Scaled(torch.autograd.Function):
    """`x * mask * scale`, forwards and backwards, with a scale that is not rounded to the type of `x`.

    The scale of rate 0.1 would be 1.109375 in bf16, which gives 0.9968 of the expectation.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor, scale: float) -> Tensor:
        ctx.save_for_backward(mask)
        ctx.scale = scale
        return torch.addcmul(x.new_zeros(()), x, mask, value=scale)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        (mask,) = ctx.saved_tensors
        return torch.addcmul(mask.new_zeros(()), grads[0], mask, value=ctx.scale), None, None


class Dropout(nn.Module):
    """`dropout` at a fixed rate."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """Apply it."""
        return dropout(x, self.rate, self.training)

    def extra_repr(self) -> str:
        return f"rate={self.rate}"
