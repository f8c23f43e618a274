"""Charts of positions: what stands where."""

import numpy as np

from headscope.analysis.positions.geometry import projection, shift_map, spectrum
from headscope.analysis.positions.regions import Training
from headscope.analysis.positions.relative import (
    DistanceVectors,
    buckets,
    rotation,
    sinusoids,
    slopes,
    wavelengths,
)
from headscope.analysis.positions.terms import ScoreTerms
from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.app.wire import position_charts as charts

ROWS = sinusoids(20, 8, 10_000.0)
REGIONS = ("trained",) * 10 + ("rare",) * 6 + ("never",) * 4
SEEN = Training(
    {"source": np.array([100] * 10 + [1] * 6 + [0] * 4), "target": np.array([100] * 20)},
    {"source": REGIONS, "target": ("trained",) * 20},
)
READ = Tokens("a <b>", tuple(Token(piece, 0, (0, 0)) for piece in ("▁a", "▁<b>", "</s>")))


def test_every_chart_of_a_checkpoint_has_its_margin():
    every = np.ones(20, dtype=bool)
    made = [
        charts.table("c", ROWS, SEEN),
        charts.waves("c", ROWS, (0, 5), SEEN),
        charts.pairs("c", ROWS, SEEN, "cosine", centre=True),
        charts.distances("c", ROWS, SEEN, "dot", centre=False, every=False),
        charts.shifts("c", shift_map(ROWS, every), SEEN),
        charts.plane("c", projection(ROWS, every), SEEN),
        charts.norms("c", ROWS, SEEN),
        charts.spectra("c", spectrum(ROWS, every), SEEN),
        charts.counts("c", SEEN, 20),
        charts.position_scores("c", ROWS @ ROWS.T, SEEN),
        charts.biases("c", slopes(2, 4), SEEN),
        *charts.rotation("c", rotation(20, 8, 100.0), SEEN),
    ]
    assert {chart.margin.lanes for chart in made} == {(("source", REGIONS), ("target", ("trained",) * 20))}
    shared = {chart.title: chart.margin.shared for chart in made if "position (from 0)" in chart.x.title}
    assert all(shared.values())


def test_the_table_has_positions_as_columns():
    chart = charts.table("c", ROWS, SEEN)
    assert chart.grid.values.shape == (8, 20)
    assert chart.grid.values[1, 3] == ROWS[3, 1]


def test_distances_end_with_the_last_pair():
    trained = charts.distances("c", ROWS, SEEN, "dot", centre=False, every=False).series[0]
    assert len(trained.x) == 20, "the target has seen all"
    half = Training({"source": SEEN.counts["source"]}, {"source": REGIONS, "target": ("never",) * 20})
    assert len(charts.distances("c", ROWS, half, "dot", centre=False, every=False).series[0].x) == 10
    assert len(charts.distances("c", ROWS, half, "dot", centre=False, every=True).series[0].x) == 20


def test_counts_leave_out_what_a_logarithm_has_no_place_for():
    chart = charts.counts("c", SEEN, 20)
    assert np.isnan(chart.series[0].y[16:]).all()
    assert chart.y.log
    nothing = Training({}, dict.fromkeys(("source", "target"), ("unknown",) * 20))
    assert charts.counts("c", nothing, 20).y.title == "times in training: not recorded"


def test_positions_on_the_plane_take_the_better_of_two_sides():
    mixed = Training({}, {"source": ("never", "rare", "trained"), "target": ("rare", "rare", "never")})
    chart = charts.plane("c", projection(ROWS, np.ones(20, dtype=bool)), mixed)
    assert chart.series[0].regions == ("rare", "rare", "trained")


def test_terms_of_the_sentence():
    terms = np.arange(81.0).reshape(1, 3, 3, 3, 3)
    found = ScoreTerms(READ, terms, np.tril(np.ones((3, 3), dtype=bool)))
    whole, one = (charts.term("c", found, 0, which, SEEN) for which in ("score", "position × content"))
    np.testing.assert_array_equal(np.tril(whole.grid.values), np.tril(terms[0].sum((0, 1))))
    assert np.isnan(whole.grid.values[0, 1])
    np.testing.assert_array_equal(np.tril(one.grid.values), np.tril(terms[0, 1, 0]))
    assert whole.grid.most == one.grid.most, "terms can be compared by their colours"
    assert whole.x.names == whole.y.names == ("▁a", "▁<b>", "</s>")


def test_shares_leave_out_terms_with_a_constant_key():
    values = np.arange(18.0).reshape(2, 3, 3)
    chart = charts.shares("c", values, SEEN)
    assert chart.y.names == tuple(each for each in charts.TERMS if not each.endswith("constant"))
    np.testing.assert_array_equal(chart.grid.values, values[:, :, :2].reshape(2, 6).T)


def test_other_schemes_and_formulas():
    found = DistanceVectors(np.arange(-1, 2), np.arange(12.0).reshape(2, 3, 2))
    assert [line.name for line in charts.vectors("c", found, SEEN).series] == ["head 1", "head 2"]
    added = charts.added("c", np.ones((3, 3)), READ, found.distances, SEEN)
    assert added.grid.first == (-1.0, 0.0)
    waves = charts.wavelengths("c", wavelengths(8, 100.0), 20)
    assert waves.margin is None
    assert waves.series[1].y.tolist() == [20] * 4
    assert not charts.bucketed(*buckets(5, count=32, furthest=128)).series[0].joined
