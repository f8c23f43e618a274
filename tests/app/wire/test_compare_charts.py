"""Several models on one sentence, as charts."""

import numpy as np

from headscope.analysis.comparison.heads import alone, head_difference
from headscope.analysis.records.heads import Head
from headscope.app.wire.compare_charts import head_chart, surprisals
from tests.analysis.handmade import letters, random_maps


def test_a_row_a_model_and_a_column_a_token():
    a, b = (random_maps(letters(3), letters(2), seed=seed) for seed in (0, 1))
    chart = surprisals("title", ["A", "C"], [a, b])
    np.testing.assert_allclose(chart.grid.values, [-a.log_probs, -b.log_probs])
    assert (chart.y.names, chart.x.names) == (("A", "C"), ("a", "b", "</s>"))
    assert chart.grid.most == chart.grid.values.max()
    assert not chart.grid.signed


def test_maps_of_a_head_and_of_a_difference():
    a, b = (random_maps(letters(3), letters(2), seed=seed) for seed in (0, 1))
    head = Head("cross", 1, 0)
    chart = head_chart("A", alone(a, head), "cross")
    np.testing.assert_allclose(chart.grid.values, a.cross[1][0])
    assert (len(chart.y.names), len(chart.x.names)) == chart.grid.values.shape
    assert chart.grid.most == 1
    apart = head_chart("B less A", head_difference(b, head, a, head), "cross")
    assert apart.grid.signed
    np.testing.assert_allclose(apart.grid.values, b.cross[1][0] - a.cross[1][0])
