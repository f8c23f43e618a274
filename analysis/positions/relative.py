"""What takes the table's place in other schemes: angles of rotation, biases by distance, Shaw's vectors.

`T` positions, `R` distances or buckets, `H` heads, `d` width of a head.
"""

from dataclasses import dataclass

import numpy as np
import torch

from headscope.analysis.capture.forced import to_numpy
from headscope.analysis.positions.terms import Stack
from headscope.model.errors import HeadscopeError
from headscope.model.network.positions import PositionScheme, sinusoid_table
from headscope.model.network.relative_positions import (
    AlibiPositions,
    RotaryPositions,
    ShawPositions,
    T5Positions,
    alibi_slopes,
    rotary_angles,
    t5_buckets,
)
from headscope.model.network.transformer import Transformer, transformer
from headscope.model.sites import site_at
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True, eq=False)
class Rotation:
    """How far each pair of dimensions is turned (Su et al. 2021, section 3.2.2)."""

    angles: np.ndarray
    """[T, d/2]: radians, not taken modulo a turn."""
    wavelengths: np.ndarray
    """[d/2]: positions until a pair has turned once."""
    product: np.ndarray
    """[T]: mean cosine of the angles, which is q·k / ‖q‖² at each distance where q = k and all pairs weigh alike."""


@dataclass(frozen=True, slots=True, eq=False)
class DistanceBias:
    """What is added to the scores for a distance."""

    distances: np.ndarray
    """[R]: key less query, ascending."""
    bias: np.ndarray
    """[H, R]."""


@dataclass(frozen=True, slots=True, eq=False)
class DistanceVectors:
    """The vectors that stand for distances in one layer (Shaw et al. 2018)."""

    distances: np.ndarray
    """[R]: key less query, ascending; the outermost stand for all that are further."""
    vectors: np.ndarray
    """[H, R, d]."""

    @property
    def norms(self) -> np.ndarray:
        """[H, R]."""
        return np.linalg.norm(self.vectors, axis=-1)

    def bias(self, query: np.ndarray, head: int) -> np.ndarray:
        """[Q, R]: what the vectors of a head add to the scores of queries [Q, d]: q·a / √d."""
        return query @ self.vectors[head].T * query.shape[-1] ** -0.5


Relative = Rotation | DistanceBias | DistanceVectors


def relative_positions(translator: Translator, stack: Stack, length: int, *, layer: int = 0) -> Relative:
    """What a scheme without a table has, up to a length.

    Raises:
        HeadscopeError: it has nothing: it is a table, or there are no positions.
    """
    model = transformer(translator.model, "position schemes")
    scheme, site = model.positions, site_at(model, stack, layer)
    if isinstance(scheme, RotaryPositions):
        return rotation(length, model.config.key_width(site.heads), scheme.base)
    if isinstance(scheme, AlibiPositions | T5Positions):
        return _distance_bias(model, scheme, stack, layer, length)
    if isinstance(scheme, ShawPositions):
        vectors = to_numpy(scheme.keys[f"{stack}_{layer}"]).astype(np.float64)
        return DistanceVectors(np.arange(-scheme.reach, scheme.reach + 1), vectors)
    kind = model.config.positions
    if kind == "none":
        raise HeadscopeError(
            "this checkpoint has no positions: its encoder reads a sentence as a bag of pieces, and its decoder knows "
            "the order by what it may not look at alone"
        )
    raise HeadscopeError(f"this checkpoint's positions ({kind}) are a table: look at that")


def rotation(length: int, width: int, base: float) -> Rotation:
    """Angles of rotary positions of a head of `width` dimensions."""
    angles = to_numpy(rotary_angles(torch.arange(length), width, base))
    return Rotation(angles, wavelengths(width, base), np.cos(angles).mean(1))


def sinusoids(length: int, width: int, base: float) -> np.ndarray:
    """[T, D]: the paper's table, with any base in the place of 10,000."""
    return to_numpy(sinusoid_table(length, width, base=base)).astype(np.float64)


def wavelengths(width: int, base: float) -> np.ndarray:
    """[width / 2]: positions in which each pair of dimensions comes back, 2π · base^(2i / width)."""
    return 2 * np.pi * base ** (np.arange(0, width, 2) / width)


def slopes(heads: int, length: int) -> DistanceBias:
    """The bias of ALiBi for any number of heads."""
    distances = np.arange(1 - length, length)
    return DistanceBias(distances, -to_numpy(alibi_slopes(heads))[:, None] * np.abs(distances))


def buckets(length: int, *, count: int, furthest: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances, and T5's bucket of each, with keys on both sides."""
    distances = torch.arange(1 - length, length)
    found = t5_buckets(distances[None], both_sides=True, buckets=count, furthest=furthest)[0]
    return distances.numpy(), found.numpy()


def _distance_bias(model: Transformer, scheme: PositionScheme, stack: Stack, layer: int, length: int) -> DistanceBias:
    site = site_at(model, stack, layer)
    query = torch.zeros(1, site.heads, 1, model.config.key_width(site.heads), device=model.device)
    # From one query in the middle all distances are to be seen; a decoder may not look at what comes later.
    keys = torch.arange(length if site.causal else 2 * length - 1, device=model.device)
    bias = scheme.bias(query, keys[length - 1 : length], keys, site)
    assert bias is not None
    return DistanceBias(np.arange(len(keys)) - (length - 1), to_numpy(bias[0, :, 0]).astype(np.float64))
