"""Choosing a head without fooling oneself: on one half of the sentences, and its number from the other. No torch here.

The best of many heads on some sentences is partly the luckiest on them; on sentences that had no part in the choice, it
is not. `N` sentences, `H` heads; NaN where a question does not apply to a sentence.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.gallery.record import Number

if TYPE_CHECKING:
    from headscope.analysis.capture.pairs import SentencePair

RESAMPLES = 1_000
Z = 1.959964
"""Half of the normal distribution's 95 %, in deviations."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What every head did in the sentences that one question applies to."""

    pairs: Sequence["SentencePair"]
    values: np.ndarray
    """[N, H]."""
    counted: np.ndarray
    """[N] of truth: in the half that numbers are taken from; the others are for the choice."""

    @classmethod
    def of(cls, rows: Sequence[tuple["SentencePair", np.ndarray]]) -> "Answers":
        """From sentence pairs and one number a head of each; sources fall into halves by their text."""
        pairs = [pair for pair, _ in rows]
        return cls(
            pairs, np.array([values for _, values in rows]), np.array([for_numbers(p.source.text) for p in pairs])
        )

    @property
    def useful(self) -> bool:
        """Whether there is some head with a number on either half."""
        halves = (self.values[~self.counted], self.values[self.counted])
        return len(self.values) > 0 and all(bool((~np.isnan(half)).any()) for half in halves)

    def reported(self) -> tuple[list["SentencePair"], np.ndarray]:
        """The half that numbers are taken from."""
        return [pair for pair, counted in zip(self.pairs, self.counted, strict=True) if counted], self.values[
            self.counted
        ]


def for_numbers(text: str) -> bool:
    """Whether a sentence is in the half that numbers are taken from: the same sentence always is, or never."""
    return bool(blake2b(text.encode(), digest_size=1).digest()[0] & 1)


def best(values: np.ndarray, *, least: bool = False) -> int:
    """The head with the largest (or least) mean over the sentences [N, H] that it has a number in, the first of equals.

    Heads without a number do not count.
    """
    counts = (~np.isnan(values)).sum(0)
    means = np.divide(np.nansum(values, 0), counts, out=np.full(values.shape[1], np.nan), where=counts > 0)
    return int(np.nanargmin(means) if least else np.nanargmax(means))


def others(values: np.ndarray, among: Sequence[bool]) -> np.ndarray:
    """[N]: the mean over some heads in each sentence; NaN where none has a number."""
    rest = values[:, list(among)]
    counts = (~np.isnan(rest)).sum(1)
    return np.divide(np.nansum(rest, 1), counts, out=np.full(len(rest), np.nan), where=counts > 0)


def number(values: np.ndarray) -> Number:
    """The mean of one number a sentence [N], with its 95 % interval: Wilson's where each is 0 or 1."""
    if not np.isin(values, (0, 1)).all():
        return ratio(values, np.ones_like(values))
    count, share = len(values), float(values.mean())
    middle, half = share + Z**2 / (2 * count), Z * math.sqrt(share * (1 - share) / count + (Z / (2 * count)) ** 2)
    low, high = ((middle + sign * half) / (1 + Z**2 / count) for sign in (-1, 1))
    return _number(share, max(0.0, low), min(1.0, high), count)


def ratio(above: np.ndarray, below: np.ndarray) -> Number:
    """Σ above / Σ below over sentences [N], with its 95 % interval: percentiles of bootstrap resamples."""
    chosen = np.random.default_rng(0).integers(len(above), size=(RESAMPLES, len(above)))
    low, high = np.percentile(above[chosen].sum(-1) / below[chosen].sum(-1), (2.5, 97.5)).tolist()
    return _number(float(above.sum() / below.sum()), low, high, len(above))


def _number(value: float, low: float, high: float, sentences: int) -> Number:
    value, low, high = (float(f"{found:.6g}") for found in (value, low, high))
    return Number(value=value, low=low, high=high, sentences=sentences)
