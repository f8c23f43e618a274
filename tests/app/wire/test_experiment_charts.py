"""Charts of the experiment beyond the trained length."""

import numpy as np
import pytest

from headscope.analysis.positions.length_record import AtPosition, Mean
from headscope.analysis.positions.regions import training
from headscope.analysis.positions.verdict import contrasts, means, schemes
from headscope.app.wire import experiment_charts as charts
from tests.analysis.positions.test_verdict import experiment, result
from tests.toys import letter_translator


def test_seeds_as_points_and_means_with_intervals():
    found = means(experiment(3))
    chart = charts.by_length(found, "natural")
    lines, seeds = chart.series[:4], chart.series[4:]
    assert [line.name for line in lines] == [
        "sinusoidal, short training: mean ± 95 %",
        "learned, short training: mean ± 95 %",
        "sinusoidal, all lengths: mean ± 95 %",
        "learned, all lengths: mean ± 95 %",
    ]
    assert chart.x.names == ("1–8",), "an empty bin is left out"
    for line, points in zip(lines, seeds, strict=True):
        assert line.y[0] == pytest.approx(points.y.mean())
        assert line.spread[0] > 0
        assert (points.joined, len(points.y)) == (False, 3)
    assert len(charts.by_length(means(experiment(1)), "natural").series) == 4, "a seed alone is its mean"


def test_what_is_lost():
    found = contrasts(experiment(2))
    chart = charts.gaps(found, "natural")
    assert [line.name for line in chart.series] == [
        *("sinusoidal ± 95 %", "learned ± 95 %", "learned minus sinusoidal ± 95 %"),
    ]
    values = {each.what: each.value for each in found if each.condition == "natural"}
    assert [line.y[0] for line in chart.series] == [values[what] for what in ("sinusoidal", "learned", "kinds")]
    moved = charts.gaps(found, "offset")
    assert moved.series[0].x.tolist() == [0, 4]
    assert moved.margin.lanes == (("short", ("trained",) * 8 + ("never",) * 4),)
    assert moved.margin.shared
    assert not chart.margin.shared
    assert chart.margin.lanes == (("short", ("trained",) * 8),), "as far as the longest sentences that there are"


def test_loss_by_position_marks_what_short_training_has_seen():
    at = tuple(
        AtPosition(position=place, sentences=20 if place < 12 else 2, loss=Mean(value=1.0 + place, interval=None))
        for place in range(14)
    )
    results = []
    for seed in (1, 2):
        one = result("sinusoidal", 8, seed, 2.0)
        condition = one.study.natural.model_copy(update={"positions": at})
        results.append(one.model_copy(update={"study": one.study.model_copy(update={"natural": condition})}))
    chart = charts.by_position(results, "natural")
    mean, seeds = chart.series
    assert mean.x.tolist() == list(range(12)), "positions that few sentences reach are left out"
    assert len(seeds.y) == 24
    ((_, regions),) = chart.margin.lanes
    assert regions == ("trained",) * 8 + ("never",) * 4


def test_further_schemes_and_checkpoints_in_view():
    chart = charts.schemes(schemes(experiment(1)))
    assert [line.name for line in chart.series][-1] == "rotary, short training: mean ± 95 %"
    assert chart.title.endswith("1 training each")
    bins = result("learned", None, 1, 2.0).study.natural.bins
    (line,) = charts.shipped({"toy": bins}, training(letter_translator().card, 8)).series
    assert line.y[0] == 2.0
    assert np.isnan(line.y[1])
