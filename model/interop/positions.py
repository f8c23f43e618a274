"""Which of the known position tables one is that a file holds."""

from pathlib import Path
from typing import Any, get_args

import torch
from torch import Tensor

from headscope.model.config import SinusoidLayout
from headscope.model.errors import HeadscopeError
from headscope.model.network.positions import sinusoid_table

TOLERANCE = 2e-3
"""Of sines and cosines: what fp16 leaves of them, and what an angle in the hundreds loses in float32."""


def sinusoid_layout(table: Tensor) -> SinusoidLayout | None:
    """The layout of a table of sinusoids [T D]; None: it is something else."""
    if table.dim() != 2 or table.shape[1] % 2:
        return None
    layouts: tuple[SinusoidLayout, ...] = get_args(SinusoidLayout)
    for layout in layouts:
        known = sinusoid_table(table.shape[0], table.shape[1], layout)
        if torch.allclose(table.to(known.dtype), known, rtol=0, atol=TOLERANCE):
            return layout
    return None


def position_fields(encoder: Tensor, decoder: Tensor, path: Path) -> dict[str, Any]:
    """The fields of a configuration for the position tables of the two sides. What is no sinusoid counts as learned.

    Raises:
        HeadscopeError: the sides have tables of their own, or a table is none.
    """
    if encoder.dim() != 2 or not torch.equal(encoder, decoder):
        raise HeadscopeError(f"{path}: encoder and decoder have different tables of positions; ours share one")
    if layout := sinusoid_layout(encoder):
        return {"positions": "sinusoidal", "sinusoid_layout": layout}
    return {"positions": "learned", "position_table": len(encoder)}
