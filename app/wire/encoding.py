"""What goes to a component: plain values, checked, for Streamlit turns what JSON cannot hold into something else."""

import base64
import json
import zlib
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from headscope.analysis.records.labels import Label

FIELDS = tuple(field.name for field in fields(Label))
LEVELS = 1000
"""Steps from 0 to 1 in a mosaic: three decimals are exact."""


def tokens(labels: Iterable[Label]) -> list[dict[str, Any]]:
    """Labels as the components' `tokenNode` takes them."""
    return [{name: getattr(label, name) for name in FIELDS} for label in labels]


def weights(array: np.ndarray) -> str:
    """Numbers as the components' `decode` takes them: little-endian float32, row by row, in base64."""
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode()


def mosaic(shares: np.ndarray) -> str:
    """Numbers from 0 to 1 as the components' `levels` takes them: thousandths, deflated, in base64.

    All low bytes stand before all high bytes. Rows of weights sum to 1, so low bytes are small and high ones nearly all
    0, and deflate well: to a third, even where attention is spread.
    """
    levels = np.rint(np.clip(shares, 0, 1) * LEVELS).astype("<u2")
    planes = levels.reshape(-1, 1).view(np.uint8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 1)).decode()


def number(value: float) -> str:
    """Three significant digits, as the components' `digits` writes them."""
    shown = f"{value:#.3g}".rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return shown.replace("-", "−")


def checked(data: dict[str, Any]) -> dict[str, Any]:
    """The same data.

    Raises:
        TypeError: JSON has no such value (a numpy number, say).
        ValueError: a number is not finite.
    """
    json.dumps(data, allow_nan=False)
    return data
