"""Curves of runs."""

import numpy as np
import pytest

from headscope.app.wire.run_charts import MAIN, MORE, charts, duration, last, remaining, spikes, thinned


def rows(count: int, **fields) -> list[dict]:
    """Rows of updates."""
    made = {"nll": 3.0, "learning_rate": 1e-3, "tokens_per_second": 100.0, "padding": 0.25, "memory": 2**30}
    made |= {"gradient_norm": 1.0, "gradient_peak": 1.2}
    return [
        {"kind": "update", "step": 10 * number, "time": 100.0 + 2 * number, "gradient_peak_step": 10 * number - 3}
        | made
        | fields
        for number in range(1, count + 1)
    ]


VALIDATION = {"kind": "validation", "step": 20, "nll": 2.5, "bleu": None, "chrf": None}


def test_one_run_and_several():
    loss, *others = charts(MAIN, {"a": [*rows(3), VALIDATION]})
    assert [line.name for line in loss.series] == ["training", "development"]
    assert others == [], "nothing was translated"
    scored = [*rows(3), VALIDATION | {"bleu": 12.0, "chrf": 30.0}]
    loss, scores = charts(MAIN, {"a": scored, "b": scored})
    assert [line.name for line in loss.series] == ["a: training", "a: development", "b: training", "b: development"]
    assert [line.y.tolist() for line in scores.series] == [[12.0], [30.0], [12.0], [30.0]]


def test_units_are_those_of_the_axis():
    found = {chart.title: chart.series[0].y[0] for chart in charts(MORE, {"a": rows(2)})}
    assert found["Padding"] == 25.0
    assert found["Memory at most"] == 1.0


def test_rows_of_an_earlier_version_lack_fields():
    old = [{"kind": "update", "step": 10, "nll": 3.0, "learning_rate": 1e-3}]
    assert [chart.title for chart in charts(MORE, {"old": old})] == ["Learning rate"]
    assert spikes(old) == []


def test_a_curve_has_so_many_points_and_keeps_its_mean_and_its_end():
    x, y = np.arange(1, 1234.0), np.random.default_rng(0).random(1233)
    few, means = thinned(x, y, 100)
    assert len(few) == len(means) == 100
    assert few[-1] == 1233
    assert np.average(means, weights=np.diff([0, *few])) == pytest.approx(y.mean(), abs=1e-12)
    assert thinned(x[:99], y[:99], 100)[0].tolist() == x[:99].tolist()


def test_a_spike_is_named_with_its_update():
    found = rows(30)
    found[24]["gradient_peak"] = 8.0
    found[5]["gradient_peak"] = 80.0
    assert spikes(found) == [(247, 8.0, 8.0)], "the first rows have nothing before them to be judged by"
    assert spikes(rows(20)) == []


def test_time_that_is_left():
    found = rows(30)
    assert remaining(found, 300, 400, lambda: 160.0) == pytest.approx(20.0)
    assert remaining(found, 300, 400, lambda: 165.0) == pytest.approx(15.0)
    assert remaining(found, 300, 400, lambda: 1e9) == 0.0
    assert remaining(found[:1], 10, 400, lambda: 0.0) is None
    assert remaining(found, 400, 400, lambda: 0.0) is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3600, "1 h"), (90061, "1 d 1 h")]
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_the_newest_row_of_a_kind():
    assert last([*rows(2), VALIDATION], "update")["step"] == 20
    assert last([], "update") is None
