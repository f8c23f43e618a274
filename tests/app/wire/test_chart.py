"""Charts: their margins, common scales, and differences."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.app.wire.chart import Axis, Chart, Grid, Series, alike, difference, largest, runs
from headscope.model.errors import HeadscopeError

ONE = np.array([[1.0, -2.0], [0.5, np.nan]])


def grid(values=ONE, title="a", names=()) -> Chart:
    axis = Axis("position", names=names)
    return Chart(title, axis, axis, Grid(values, "score", largest(values)))


def line(*values: float, log: bool = False) -> Chart:
    y = np.array(values)
    return Chart("a", Axis("x"), Axis("y", log=log), series=(Series("s", np.arange(len(y)), y),))


def test_runs_of_regions():
    assert runs(["trained", "trained", "rare", "never", "never", "trained"]) == [
        ("trained", 0, 2),
        ("rare", 2, 1),
        ("never", 3, 2),
        ("trained", 5, 1),
    ]
    assert runs([]) == []


def test_two_grids_have_one_scale():
    charts = alike([grid(), grid(10 * ONE)])
    assert [chart.grid.most for chart in charts] == [20, 20]
    assert charts[0].grid.values is ONE


def test_lines_have_one_scale_unless_their_axes_have_their_own():
    first, second = alike([line(0, 1), line(4, np.nan, 5)])
    assert first.y.span == second.y.span == pytest.approx((-0.2, 5.2))
    assert first.x.span[1] > 2
    logs = alike([line(10, 0, log=True), line(1000, log=True)])
    assert logs[0].y.span == pytest.approx((10 / 1.2, 1200))
    own = replace(line(1, 2), x=Axis("x", span=(0, 9)))
    assert alike([own, own])[0].x.span == (0, 9)
    assert alike([line(np.nan)])[0].y.span is None
    whiskers = replace(line(0, 1), series=(replace(line(0, 1).series[0], spread=np.array([5.0, 0.0])),))
    assert alike([whiskers])[0].y.span == pytest.approx((-5.4, 5.4))


def test_the_difference_has_its_own_scale_about_0():
    found = difference(grid(), grid(np.array([[0.0, 1.0], [0.5, 0.0]]), "b"))
    np.testing.assert_array_equal(found.grid.values, [[1, -3], [0, np.nan]])
    assert (found.title, found.grid.most, found.grid.signed) == ("a less b", 3, True)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (grid(np.zeros((2, 3))), "2 × 2 and 2 × 3"),
        (grid(names=("x", "y")), "other pieces"),
        (line(1.0), "lines, not maps"),
    ],
)
def test_what_has_no_difference_says_why(other, reason):
    with pytest.raises(HeadscopeError, match=reason):
        difference(grid(), other)


def test_the_largest_of_nothing():
    assert largest(np.array([np.nan]), np.zeros(2)) == 1
    assert largest() == 1
