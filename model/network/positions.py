"""Position schemes: how a Transformer knows where a token stands.

One seam with four places where position may enter: `embed` adds vectors to the token embeddings (sinusoidal, learned),
`rotate` turns queries and keys (rotary), `bias` adds to the scores (ALiBi, Shaw's, T5's), `visible` hides keys (a
window). A scheme uses the places it needs; the defaults do nothing. Positions count from 0, in a search as in a whole
pass.

`B` batch, `H` heads, `Q` queries, `K` keys, `T` positions, `d` width of a head, `D` width of the model.
"""

import math

import torch
from jaxtyping import Bool, Float, Real
from torch import Tensor, nn

from headscope.model.config import SinusoidLayout
from headscope.model.sites import AttentionKind, Site, require_length


class PositionScheme(nn.Module):
    """A scheme that knows no positions at all; others override what they need."""

    limit: int | None = None
    """Positions it can tell apart; None: any number."""

    def reset_parameters(self) -> None:
        """Draw initial values. The model does it last, so that twins that differ in positions alone start alike."""

    def embed(self, first: int, length: int) -> Float[Tensor, "T D"] | None:
        """Vectors to add to the embeddings of `length` positions from `first` on, counted from 0."""
        return None

    def rotate(
        self, vectors: Float[Tensor, "B H T d"], positions: Real[Tensor, " T"], site: Site
    ) -> Float[Tensor, "B H T d"]:
        """Queries or keys, turned by their positions."""
        return vectors

    def bias(
        self, query: Float[Tensor, "B H Q d"], queries: Real[Tensor, " Q"], keys: Real[Tensor, " K"], site: Site
    ) -> Float[Tensor, "#B H Q K"] | None:
        """What is added to the scaled scores; it may depend on the query vectors, which were turned already."""
        return None

    def visible(
        self, queries: Real[Tensor, " Q"], keys: Real[Tensor, " K"], kind: AttentionKind
    ) -> Bool[Tensor, "Q K"] | None:
        """Which keys may be looked at from where, beside what padding and causality forbid; None: all."""
        return None


def sinusoid_table(
    length: int, width: int, layout: SinusoidLayout = "interleaved", base: float = 10_000.0
) -> Float[Tensor, "T D"]:
    """Sinusoids of Vaswani et al. 2017, section 3.5, in one of the layouts in use (see `SinusoidLayout`).

    Computed in float64, so that distant positions are right, and returned in torch's default precision.
    """
    pairs = width // 2
    spread = pairs if layout in ("interleaved", "halves") else max(pairs - 1, 1)
    frequency = torch.exp(torch.arange(pairs, dtype=torch.float64) * (-math.log(base) / spread))
    first = {"halves_opennmt": 1, "halves_fairseq": 2}.get(layout, 0)
    angle = torch.arange(first, first + length, dtype=torch.float64)[:, None] * frequency
    if layout == "interleaved":
        table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
    else:
        table = torch.cat([angle.sin(), angle.cos()], dim=-1)
    return table.to(torch.get_default_dtype())


class SinusoidalPositions(PositionScheme):
    """A fixed table; what lies beyond it is computed when it is asked for, so there is no limit and nothing to grow."""

    def __init__(self, width: int, layout: SinusoidLayout = "interleaved", length: int = 1100) -> None:
        super().__init__()
        self.layout: SinusoidLayout = layout
        self.register_buffer("table", sinusoid_table(length, width, layout), persistent=False)
        self.table: Tensor

    def embed(self, first: int, length: int) -> Float[Tensor, "T D"]:
        """Rows of the table."""
        if first + length <= len(self.table):
            return self.table[first : first + length]
        table = sinusoid_table(first + length, self.table.shape[1], self.layout)
        return table[first:].to(self.table)


class LearnedPositions(PositionScheme):
    """One trained vector a position, up to a limit.

    Rows start at N(0, 1/2), the root mean square of the sinusoids, so that the two kinds start alike.
    """

    def __init__(self, width: int, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.table = nn.Parameter(torch.zeros(limit, width))

    def reset_parameters(self) -> None:
        """Draw the rows."""
        nn.init.normal_(self.table, std=math.sqrt(0.5))

    def embed(self, first: int, length: int) -> Float[Tensor, "T D"]:
        """Rows of the table; raises a HeadscopeError where it ends."""
        require_length(first + length, self.limit)
        return self.table[first : first + length]
