"""Which keys a query may look at.

`B` batch, `Q` queries, `K` keys.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor


@dataclass(frozen=True, eq=False, slots=True)
class Mask:
    """Allowed links; made once for a batch and used by every layer.

    Masks hide keys, never queries: a row of padding is computed like any other and ignored by whoever reads the result.
    """

    allowed: Bool[Tensor, "#B 1 #Q K"]
    live: Bool[Tensor, "#B 1 #Q 1"] | None
    """Rows that may look at something; None: all rows may, which is the rule and costs nothing."""

    @staticmethod
    def of(allowed: Bool[Tensor, "#B 1 #Q K"]) -> "Mask":
        """A mask from its links."""
        live = allowed.any(-1, keepdim=True)
        return Mask(allowed, None if bool(live.all()) else live)

    def fill(self, dtype: torch.dtype) -> Tensor:
        """0 for allowed links and the smallest finite number for others, to be added to scores: the softmax of what is
        hidden is exactly 0. (-inf in all of a row would make it NaN, and its gradient too.)"""
        hidden = torch.zeros_like(self.allowed, dtype=dtype)
        return hidden.masked_fill_(~self.allowed, torch.finfo(dtype).min)

    def narrowed(self, visible: Bool[Tensor, "Q K"]) -> "Mask":
        """The mask that hides what this one hides, and all that is not `visible`."""
        return Mask.of(self.allowed & visible)

    def beside(self, times: int) -> "Mask":
        """The mask for so many rows of queries a sentence, side by side; one that is the same for all queries stays."""
        if self.allowed.shape[2] == 1:
            return self
        return Mask(
            self.allowed.repeat(1, 1, times, 1), None if self.live is None else self.live.repeat(1, 1, times, 1)
        )

    def rows(self, index: Tensor) -> "Mask":
        """The mask of some sentences of the batch; one that is the same for all sentences stays."""
        if len(self.allowed) == 1:
            return self
        return Mask(self.allowed[index], None if self.live is None else self.live[index])


def key_mask(present: Bool[Tensor, "B K"]) -> Mask:
    """Every query may look at every key that is present (no padding)."""
    return Mask.of(present[:, None, None, :])


def causal_mask(queries: int, keys: int, device: torch.device) -> Mask:
    """The last `queries` of `keys` positions, each of which may look at itself and what stands before it.

    Target padding stands at the end, so it is out of reach of every real row.
    """
    allowed = torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)
    return Mask(allowed[None, None], None)
