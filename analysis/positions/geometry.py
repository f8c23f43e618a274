"""How the rows of a position table lie to each other: products, distances, shifts, a plane, spectra. No torch here.

`T` positions, counted from 0; `D` dimensions; `N` distances or shifts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headscope.model.errors import HeadscopeError

Product = Literal["dot", "cosine"]
SHIFTS = (1, 2, 3, 4, 6, 8, 12, 16)
SPLITS = 4
"""Times that positions are split into halves, to fit on one and to test on the other."""
LEAST = 4
"""Positions that a fit, a plane or a spectrum needs."""
NEGLIGIBLE = 1e-12
"""Eigenvalues below this share of the largest are rounding of float32, squared."""


def products(rows: np.ndarray, product: Product = "dot") -> np.ndarray:
    """[T, T]: P Pᵀ, or the cosines of all pairs of rows."""
    if product == "cosine":
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return rows @ rows.T


def centred(rows: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The rows less the mean of some of them ([T], bool)."""
    return rows - rows[among].mean(0)


@dataclass(frozen=True, slots=True, eq=False)
class ByDistance:
    """Numbers of pairs of positions, gathered by how far apart they are. All fields [N]."""

    distance: np.ndarray
    """Key less query, ascending."""
    mean: np.ndarray
    """NaN where there is no pair."""
    deviation: np.ndarray
    """Standard deviation over the pairs of a distance: 0 where the number depends on nothing else."""
    count: np.ndarray
    """Pairs."""


def by_distance(values: np.ndarray, among: np.ndarray, *, both_sides: bool = False) -> ByDistance:
    """Gather a matrix [T, T] of pairs, query by key, by distance.

    Args:
        among: [T], bool: the positions of which both must be.
        both_sides: keys before the query too; else a symmetric matrix is taken once.
    """
    length = len(values)
    kept = np.where(among[:, None] & among[None, :], values, np.nan)
    distances = np.arange(-length + 1 if both_sides else 0, length)
    mean, deviation = np.full((2, len(distances)), np.nan)
    count = np.zeros(len(distances), dtype=int)
    for place, distance in enumerate(distances):
        found = kept.diagonal(distance)
        found = found[~np.isnan(found)]
        count[place] = len(found)
        if len(found):
            mean[place], deviation[place] = found.mean(), found.std()
    return ByDistance(distances, mean, deviation, count)


@dataclass(frozen=True, slots=True, eq=False)
class ShiftMap:
    """How well one linear map takes every row P(p) to P(p + k). All fields [N], a shift k each.

    An error is the squared distance to the true rows over that of their mean: 0 is exact, 1 no better than the mean.
    It is of positions that the map was not fitted on. NaN where too few pairs of positions are k apart.
    """

    shifts: np.ndarray
    error: np.ndarray
    """Mean over the splits."""
    deviation: np.ndarray
    """Over the splits."""
    random: np.ndarray
    """The error of a random table whose rows have the same norms."""
    random_deviation: np.ndarray
    fitted: np.ndarray
    """Pairs that each map was fitted on."""


def shift_map(rows: np.ndarray, among: np.ndarray, *, shifts: Sequence[int] = SHIFTS, seed: int = 0) -> ShiftMap:
    """Fit P(p + k) = M P(p) + m by least squares (of least norm) on half of the positions, and test on the other half.

    With fewer positions than dimensions any table is fitted exactly; so only the other half says something, and only
    beside a random table.

    Args:
        among: [T], bool: the positions that take part, both p and p + k.
        seed: of the random table and of the halves.
    """
    chance = np.random.default_rng(seed)
    random = chance.standard_normal(rows.shape)
    random *= np.linalg.norm(rows, axis=1, keepdims=True) / np.linalg.norm(random, axis=1, keepdims=True)
    tables = _compact(rows), _compact(random)
    errors, fitted = np.full((len(shifts), 2, SPLITS), np.nan), np.zeros(len(shifts), dtype=int)
    for at, shift in enumerate(shifts):
        later = np.concatenate([among[shift:], np.zeros(min(shift, len(among)), dtype=bool)])
        pairs = np.flatnonzero(among & later)
        if len(pairs) < LEAST:
            continue
        fitted[at] = len(pairs) // 2
        for split in range(SPLITS):
            fit, held = np.split(chance.permutation(pairs), [fitted[at]])
            errors[at, :, split] = [_held_out(table, fit, held, shift) for table in tables]
    mean, deviation = errors.mean(-1), errors.std(-1)
    return ShiftMap(np.array(shifts), mean[:, 0], deviation[:, 0], mean[:, 1], deviation[:, 1], fitted)


def _compact(rows: np.ndarray) -> np.ndarray:
    """The same rows in as many dimensions as there are rows: turned, which changes no product of them, and no error."""
    return rows if rows.shape[1] <= len(rows) else np.asarray(np.linalg.qr(rows.T, mode="r")).T


def _held_out(table: np.ndarray, fit: np.ndarray, held: np.ndarray, shift: int) -> float:
    """The error on `held` of the map fitted on `fit`, through products of rows: there are fewer rows than columns."""
    start, end = table[fit].mean(0), table[fit + shift].mean(0)
    x, y = table[fit] - start, table[fit + shift] - end
    solved = np.linalg.pinv(x @ x.T, rcond=NEGLIGIBLE, hermitian=True) @ y
    wanted = table[held + shift] - end
    missed = wanted - (table[held] - start) @ x.T @ solved
    whole = float((wanted**2).sum())
    return float((missed**2).sum()) / whole if whole else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Rows on the plane in which some of them vary most."""

    points: np.ndarray
    """[T, 2]."""
    shares: np.ndarray
    """[2]: of the variance of the rows that the plane was fitted to."""


def projection(rows: np.ndarray, among: np.ndarray) -> Projection:
    """Principal components of the rows `among` ([T], bool), and all rows in them.

    Raises:
        HeadscopeError: there are too few.
    """
    _require(int(among.sum()), "a plane")
    moved = centred(rows, among)
    _, sizes, axes = np.linalg.svd(moved[among], full_matrices=False)
    axes = axes[:2]
    axes = axes * np.sign(axes[np.arange(2), np.abs(axes).argmax(1)])[:, None]  # the sign of a component is free
    total = (sizes**2).sum()
    return Projection(moved @ axes.T, sizes[:2] ** 2 / total if total else np.zeros(2))


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """How fast each dimension swings along the positions."""

    frequency: np.ndarray
    """[F]: cycles a position, up to 1/2."""
    share: np.ndarray
    """[F, D]: of the dimension's variance; 0 throughout for a dimension that is constant."""
    positions: int
    """From 0 on: what was analysed."""


def spectrum(rows: np.ndarray, among: np.ndarray) -> Spectrum:
    """The discrete Fourier transform of each dimension, over the positions from 0 on that are `among` ([T], bool).

    Raises:
        HeadscopeError: there are too few.
    """
    length = len(among) if among.all() else int(among.argmin())
    _require(length, "a spectrum")
    used = rows[:length] - rows[:length].mean(0)
    power = np.abs(np.fft.rfft(used, axis=0))[1:] ** 2
    total = power.sum(0)
    moves = total > NEGLIGIBLE * np.maximum((rows[:length] ** 2).sum(0), 1e-300) * length
    share = np.divide(power, total, out=np.zeros_like(power), where=moves)
    return Spectrum(np.fft.rfftfreq(length)[1:], share, length)


def _require(positions: int, what: str) -> None:
    if positions < LEAST:
        raise HeadscopeError(
            f"{positions} positions are too few for {what}, which takes {LEAST}: show more positions, or all of them"
        )
