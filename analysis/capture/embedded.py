"""What enters the first layer of a side: what its tokens are, and where they stand, apart.

`N` sentences, `T` pieces, `D` width of the model.
"""

from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor

from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.sites import Side


class Embedded(NamedTuple):
    """The two terms."""

    tokens: Float[Tensor, "N T D"]
    """Scaled embeddings."""
    positions: Float[Tensor, "T D"]


class _Terms(Probe):
    found: Embedded

    def embedded(self, side: Side, tokens: Tensor, positions: Tensor, total: Tensor) -> Tensor:
        self.found = Embedded(tokens.detach(), positions.detach())
        return total


def embedded(model: Seq2Seq, side: Side, ids: Int[Tensor, "N T"], *, first: int = 0) -> Embedded:
    """The terms of what `model.embed` gives for these pieces.

    Args:
        first: position of the first piece.
    """
    probe = _Terms()
    model.embed(side, ids, first=first, probe=probe)
    return probe.found
