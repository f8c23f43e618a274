"""Charts of what a corpus says of positions."""

import numpy as np
import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.positions.effects import position_effects, usual_changes
from headscope.analysis.positions.length import length_study
from headscope.analysis.positions.matching import Match, Matching, Verdict
from headscope.analysis.positions.regions import training
from headscope.analysis.positions.study_record import HeadByDistance, ReadAt
from headscope.analysis.records.heads import Head
from headscope.app.wire import position_study_charts as charts
from tests.toys import brief, letter_translator, random_letters

TEXTS = [(text, text[::-1]) for text in random_letters(24, 11, 1)]


@pytest.fixture(scope="module")
def letters():
    return brief(letter_translator())


@pytest.fixture(scope="module")
def seen(letters):
    return training(letters.card, 20)


def test_a_head_by_distance(seen):
    head = HeadByDistance(
        kind="decoder", layer=0, head=0, mean=(0.5, 0.2, None), deviation=(0.1, 0.2, None), links=(1, 1, 0)
    )
    (line,) = charts.by_distance("h", head, (-1, 0, 1), seen).series
    assert line.y[:2].tolist() == [0.5, 0.2]
    assert np.isnan(line.y[2])
    assert line.spread.tolist() == [0.1, 0.2, 0]


def test_changes(letters, seen):
    pairs = corpus_pairs(letters, TEXTS[:4])
    effects = position_effects(letters, pairs, usual_changes(letters, pairs) | {"positions of x": "they do not fit"})
    loss, bleu, chrf, ratio = charts.changes("toy", effects, seen)
    assert loss.x.names[:3] == ("as it is", "none", "none (S)")
    assert len(loss.x.names) == len(effects) - 1, "what cannot be made is no point"
    assert loss.series[0].y[1] == effects[1].difference.value
    assert bleu.series[0].y[0] == effects[0].decoded.bleu.value
    assert chrf.series[0].y[1] == effects[1].decoded.chrf.value
    assert ratio.series[0].y[0] == effects[0].decoded.length_ratio
    assert not loss.series[0].joined


def test_layers(seen):
    layers = [
        ReadAt(side=side, layer=layer, position=0.5 + layer / 10, control=0.1, error=1)
        for side in ("source", "target")
        for layer in range(3)
    ]
    chart = charts.readable("toy", layers, seen)
    assert chart.x.names == ("enters", "layer 1", "layer 2")
    assert [line.name for line in chart.series] == [
        *("source: position", "source: control", "target: position", "target: control"),
    ]
    assert chart.series[0].y.tolist() == pytest.approx([0.5, 0.6, 0.7])


def test_matched_heads_beside_two_trainings_of_one_kind(letters):
    heads = [Head("cross", layer, head) for layer in range(2) for head in range(2)]
    matches = tuple(Match(a, b, 0.1 * at) for at, (a, b) in enumerate(zip(heads, heads[::-1], strict=True)))
    within = Matching("cross", False, matches, 0.15, 0.01, 9)
    across = Matching("cross", True, matches[:3], 0.1, 0.01, 9)
    seen = training(letters.card, 20)
    chart = charts.matched("t", [within, across], [Verdict(0.15, (0.05, 0.07)), Verdict(0.1, ())], seen)
    assert chart.x.names == ("1.1", "1.2", "2.1", "2.2")
    own, one, two, other = chart.series
    assert own.y.tolist() == pytest.approx([0, 0.1, 0.2, 0.3])
    assert (set(one.y), set(two.y)) == ({0.05}, {0.07})
    assert other.x.tolist() == [0, 1, 2]
    assert chart.y.span == (0, pytest.approx(np.log(2)))


def test_lengths_positions_and_offsets(letters, monkeypatch):
    monkeypatch.setattr(charts, "LEAST", 5)
    study = length_study(letters, TEXTS, bins=((1, 8), (9, 12), (30, 31)), offsets=(0, 3), most=4)
    seen = training(letters.card, charts.reach(study))
    loss, bleu, chrf, ratio = charts.by_length("toy", study, seen)
    assert loss.x.names == ("1–8", "9–12", "30–31")
    assert loss.series[0].y[0] == study.natural.bins[0].loss.value
    assert np.isnan(loss.series[0].y[2]), "an empty bin has no point"
    assert [len(chart.series) for chart in (bleu, chrf, ratio)] == [4, 4, 4]
    assert ratio.series[1].y[0] == study.natural.bins[0].to_length.length_ratio
    chart = charts.by_position("toy", study, seen)
    assert chart.margin.shared
    reached = [at.position for at in study.natural.positions if at.sentences >= 5]
    assert chart.series[0].x.tolist() == reached
    assert len(reached) < len(study.natural.positions)
    moved = charts.at_offsets("toy", study, seen)
    assert moved.series[0].x.tolist() == [0, 3]
    assert moved.series[0].y[1] == study.offsets[1].change.value
