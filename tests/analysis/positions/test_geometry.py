"""Products, distances, shifts, the plane and the spectra of a table."""

import numpy as np
import pytest

from headscope.analysis.positions.geometry import (
    SHIFTS,
    by_distance,
    centred,
    products,
    projection,
    shift_map,
    spectrum,
)
from headscope.analysis.positions.relative import sinusoids
from headscope.model.config import SinusoidLayout
from headscope.model.errors import HeadscopeError
from headscope.model.network.positions import sinusoid_table

ALL = np.ones(64, dtype=bool)
LAYOUTS = SinusoidLayout.__args__


@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_of_sinusoids_depend_on_the_distance_alone(layout, float64):
    rows = sinusoid_table(64, 32, layout).numpy()
    found = by_distance(products(rows), ALL)
    np.testing.assert_allclose(found.deviation, 0, atol=1e-9)
    rates = 10_000.0 ** (-np.arange(16) / (16 if layout in ("interleaved", "halves") else 15))
    np.testing.assert_allclose(found.mean, np.cos(np.arange(64)[:, None] * rates).sum(1), atol=1e-9)
    assert found.count.tolist() == list(range(64, 0, -1))


def test_cosines():
    rows = np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    half = 0.5**0.5
    np.testing.assert_allclose(products(rows, "cosine"), [[1, half, 0], [half, 1, 0], [0, 0, 0]], atol=1e-12)


def test_distances_of_a_matrix_that_is_not_symmetric_and_empty_bins():
    values = np.arange(16.0).reshape(4, 4)
    found = by_distance(values, np.array([True, True, False, True]), both_sides=True)
    assert found.distance.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert found.count.tolist() == [1, 1, 1, 3, 1, 1, 1]
    assert found.mean[3] == pytest.approx((0 + 5 + 15) / 3)
    assert found.deviation[3] == pytest.approx(np.std([0, 5, 15]))
    empty = by_distance(values, np.array([True, False, False, True]))
    assert np.isnan(empty.mean[1:3]).all()
    assert empty.count.tolist() == [2, 0, 0, 1]


def test_sinusoids_are_shifted_by_a_linear_map_and_a_random_table_is_not():
    found = shift_map(sinusoids(64, 16, 10_000.0), ALL)
    assert tuple(found.shifts) == SHIFTS
    assert (found.error < 1e-6).all(), "16 dimensions and 24 positions or more: the rotation is found"
    assert (found.random > 0.9).all()
    few = shift_map(sinusoids(64, 128, 10_000.0), ALL)
    assert (few.error < few.random / 3).all(), "with fewer positions than dimensions too, on those that were held out"


def test_a_shift_with_too_few_pairs_has_no_number():
    among = np.arange(64) < 6
    found = shift_map(sinusoids(64, 16, 10_000.0), among, shifts=(2, 3, 70))
    assert found.fitted.tolist() == [2, 0, 0]
    assert np.isnan(found.error).tolist() == [False, True, True]


def test_the_plane_is_that_of_the_chosen_rows():
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(64, 2)) * [5, 1] @ np.linalg.qr(chance.normal(size=(8, 2)))[0].T
    among = np.arange(64) < 40
    rows[40:] += 30 * chance.normal(size=(24, 8))
    found = projection(rows, among)
    assert found.shares.sum() == pytest.approx(1)
    assert found.shares[0] > 0.9
    distances = [np.linalg.norm(part[:40, None] - part[None, :40], axis=-1) for part in (rows, found.points)]
    np.testing.assert_allclose(*distances, atol=1e-9)
    with pytest.raises(HeadscopeError, match="3 positions are too few for a plane"):
        projection(rows, np.arange(64) < 3)


def test_a_wave_stands_at_its_frequency():
    places = np.arange(64)
    rows = np.stack([np.sin(2 * np.pi * places / 8), 3 + np.cos(2 * np.pi * places / 4), np.full(64, 0.7)], axis=1)
    found = spectrum(rows, ALL)
    assert found.frequency[found.share.argmax(0)[:2]].tolist() == [1 / 8, 1 / 4]
    np.testing.assert_allclose(found.share.sum(0), [1, 1, 0], atol=1e-9)
    assert spectrum(rows, places < 16).positions == 16
    with pytest.raises(HeadscopeError, match="too few for a spectrum"):
        spectrum(rows, places > 2)


def test_centred():
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [9.0, 9.0]])
    np.testing.assert_allclose(centred(rows, np.array([True, True, False])), [[-1, -1], [1, 1], [7, 6]])
