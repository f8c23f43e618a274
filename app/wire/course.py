"""The course of one head over training: its map at every snapshot, for the browser to step through."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headscope.app.wire.encoding import number

LEVELS = 255
"""A weight is one of so many steps from 0 to 1, as the history keeps it."""


@dataclass(frozen=True, slots=True)
class CourseMoment:
    """One snapshot."""

    step: int
    """Updates before it."""
    short: str
    """The step, below a small map."""
    said: str
    """The step and the development loss, in words."""


@dataclass(frozen=True, slots=True)
class Course:
    """What the component gets."""

    signature: str
    """Of all maps."""
    of: str
    """`HeadMap.signature` of the map that shows the moment chosen."""
    name: str
    """For screen readers."""
    rows: int
    columns: int
    moments: tuple[CourseMoment, ...]
    at: int
    """Which of them is shown first."""
    most: float
    """Where the colours end."""
    maps: str
    """Every weight of every moment as one byte, deflated (zlib), in base64."""


def course(
    of: str,
    name: str,
    steps: Sequence[int],
    losses: Mapping[int, tuple[int, float] | None],
    weights: np.ndarray,
    *,
    at: int,
    most: float,
) -> Course:
    """The message of a head.

    Args:
        of: signature of the map of the same head.
        losses: the last validation up to each step, and its loss in nats a token; None: there was none yet.
        weights: [moments, rows, columns] from 0 to 1.
    """
    levels = np.rint(weights * LEVELS).astype(np.uint8)
    return Course(
        signature=f"{of} {len(steps)}",
        of=of,
        name=f"{name} over training",
        rows=weights.shape[1],
        columns=weights.shape[2],
        moments=tuple(CourseMoment(step, _short(step), _said(step, losses[step])) for step in steps),
        at=at,
        most=most,
        maps=base64.b64encode(zlib.compress(levels.tobytes(), 1)).decode(),
    )


def _short(step: int) -> str:
    return str(step) if step < 10_000 else f"{number(step / 1000)}k"


def _said(step: int, loss: tuple[int, float] | None) -> str:
    place = f"after update {step:,}" if step else "before the first update"
    if loss is None:
        return f"{place}; not validated yet"
    when = "" if loss[0] == step else f" (update {loss[0]:,}, the last validation until then)"
    return f"{place}; development loss {number(loss[1])} nats a token{when}"
