"""What goes to a component: plain values, checked, for Streamlit turns what JSON cannot hold into something else."""

import base64
import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from analysis.labels import Label


def tokens(labels: Iterable[Label]) -> list[dict[str, Any]]:
    """Labels as the components' `tokenNode` takes them."""
    return [asdict(label) for label in labels]


def weights(array: np.ndarray) -> str:
    """Numbers as the components' `decode` takes them: little-endian float32, row by row, in base64."""
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f4").tobytes()).decode()


def mosaic(maps: np.ndarray) -> str:
    """Weights from 0 to 1 as the components' `inflate` takes them: bytes, deflated, in base64.

    Rows of weights sum to 1, so most bytes are small and deflate well: to a third, even where attention is spread.
    """
    levels = np.rint(np.clip(maps, 0, 1) * 255).astype(np.uint8)
    return base64.b64encode(zlib.compress(levels.tobytes(), 1)).decode()


def checked(data: dict[str, Any]) -> dict[str, Any]:
    """The same data.

    Raises:
        TypeError: JSON has no such value (a numpy number, say).
        ValueError: a number is not finite.
    """
    json.dumps(data, allow_nan=False)
    return data
