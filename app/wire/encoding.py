"""What goes to the browser: frozen dataclasses as plain values, checked, and arrays as text."""

import base64
import json
import zlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LEVELS = 1000
"""Steps from 0 to 1 in a mosaic: three decimals are exact."""


def as_json(value: Any) -> str:
    """A dataclass, or plain values with dataclasses among them, as JSON: objects by the names of their fields.

    Raises:
        TypeError: JSON has no such value (a numpy number, say).
        ValueError: a number is not finite.
    """
    return json.dumps(value, default=_named, allow_nan=False, separators=(",", ":"))


def as_message(message: Any) -> dict[str, Any]:
    """A dataclass as a component gets it: plain, for Streamlit turns what JSON cannot hold into something else.

    Raises:
        TypeError, ValueError: as `as_json`.
    """
    return json.loads(as_json(message))


def _named(value: object) -> dict[str, Any]:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"JSON has no {type(value).__name__}")


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


def halves(array: np.ndarray) -> str:
    """Numbers as the components' `halves` takes them: float16, low bytes before high ones, deflated, in base64."""
    planes = np.ascontiguousarray(array, dtype="<f2").reshape(-1, 1).view(np.uint8).T
    return base64.b64encode(zlib.compress(planes.tobytes(), 1)).decode()


def number(value: float) -> str:
    """Three significant digits, as the components' `digits` writes them."""
    shown = f"{value:#.3g}".rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return shown.replace("-", "−")
