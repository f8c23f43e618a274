"""Which of the known position tables one is that a file holds."""

from typing import get_args

import torch
from torch import Tensor

from model.config import SinusoidLayout
from model.positions import sinusoid_table

TOLERANCE = 2e-3
"""Of sines and cosines: what fp16 leaves of them, and what an angle in the hundreds loses in float32."""


def sinusoid_layout(table: Tensor) -> SinusoidLayout | None:
    """The layout of a table of sinusoids [T D]; None: it is something else."""
    if table.dim() != 2 or table.shape[1] % 2:
        return None
    for layout in get_args(SinusoidLayout):
        known = sinusoid_table(table.shape[0], table.shape[1], layout)
        if torch.allclose(table.to(known.dtype), known, rtol=0, atol=TOLERANCE):
            return layout
    return None
