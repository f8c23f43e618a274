"""Curves over training."""

import numpy as np

from headscope.app.wire.course_charts import measure_curves
from tests.histories import toy_history


def test_the_head_before_all_others_of_its_kind(translator):
    history = toy_history(translator)
    head = history.heads[1]
    (chart,) = measure_curves(history, head, [("relative_entropy", "Relative entropy")])
    assert (chart.title, chart.x.log) == ("Relative entropy", True)
    behind, own = chart.series
    assert (behind.faint, own.faint, own.name) == (True, False, "head 1.2")
    np.testing.assert_allclose(own.x, (0.5, 1, 40))
    np.testing.assert_allclose(own.y, (0.95, 0.89, 0.9))
    others = [each for each in history.heads if each.kind == head.kind and each != head]
    assert behind.name == f"the other {len(others)}"
    lines = behind.y.reshape(len(others), 4)
    np.testing.assert_allclose(behind.x.reshape(lines.shape)[:, :3], np.tile((0.5, 1, 40), (len(others), 1)))
    np.testing.assert_allclose(lines[0], (0.9, 0.95, 0.91, np.nan))
    assert np.isnan(lines[:, 3]).all()
