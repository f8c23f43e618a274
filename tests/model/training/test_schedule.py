"""Learning rates against the paper's formula and the published peaks."""

import pytest

from headscope.model.training.schedule import InverseSquareRoot, Noam


@pytest.mark.parametrize(("width", "peak"), [(512, 6.99e-4), (1024, 4.94e-4), (256, 9.88e-4), (128, 1.40e-3)])
def test_noam_peaks_at_the_end_of_warm_up(width: int, peak: float):
    rate = Noam().at(width)
    assert rate(4000) == pytest.approx(peak, rel=5e-3)
    assert rate(3999) < rate(4000) > rate(4001)


def test_noam_by_hand():
    rate = Noam(warmup=4, factor=2.0).at(16)
    assert [rate(step) for step in (1, 2, 4, 16)] == pytest.approx([0.0625, 0.125, 0.25, 0.125])


def test_the_first_update_has_a_finite_rate_above_zero():
    assert 0 < Noam().at(512)(1) < 1e-6


@pytest.mark.parametrize("step", [1, 50, 100, 101, 5000])
def test_inverse_square_root_with_noams_peak_is_noam(step: int):
    noam = Noam(warmup=100, factor=0.5).at(256)
    other = InverseSquareRoot(kind="inverse-square-root", warmup=100, peak=0.5 * (256 * 100) ** -0.5).at(256)
    assert other(step) == pytest.approx(noam(step), rel=1e-12)
