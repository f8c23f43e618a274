"""The experiment beyond the trained length."""

import json

import pytest
import streamlit as st

from headscope.analysis.positions import jobs
from headscope.analysis.positions.experiment import result_file
from headscope.analysis.positions.verdict import CellMean, contrasts
from headscope.app.pages.positions.beyond import missing, of_schemes, verdict
from headscope.app.view.charts import NOTHING
from tests.analysis.positions.test_verdict import experiment


@pytest.fixture
def open_experiment(open_app, tmp_path, monkeypatch):
    """Opens the view on a server with the results of so many seeds."""
    monkeypatch.setattr(jobs, "KEPT", tmp_path)

    def visit(seeds: int, finding: str = "lost"):
        for number, result in enumerate(experiment(seeds)):
            name = f"{result.positions}-{result.cap}-{result.seed}-{number}"
            result_file(name).save(result.model_copy(update={"name": name}), tmp_path)
        st.cache_resource.clear()
        return open_app("positions", **{"p.view": "experiment", "p.finding": finding})

    return visit


def words(page) -> str:
    return " ".join(each.value for each in (*page.main.markdown, *page.main.caption))


def test_without_results_the_page_says_how_they_are_made(open_experiment):
    page = open_experiment(0)
    assert "as the README says" in words(page)
    assert all(json.loads(each.proto.spec)["data"] == [*NOTHING] for each in page.get("plotly_chart"))


@pytest.mark.parametrize(("seeds", "said"), [(1, "1 seed cannot tell"), (3, "Of 3 seeds, beyond 8 pieces")])
def test_any_number_of_seeds(open_experiment, seeds, said):
    page = open_experiment(seeds)
    assert said in words(page)
    assert f"{5 * seeds} trainings" in words(page)
    assert len(page.get("plotly_chart")) == 2
    (table,) = (each.value for each in page.table)
    assert set(table["sentences"]) == {"as they come", "short ones joined"}
    assert page.get("download_button")
    plain = " ".join(each.value for each in page.main.text)
    assert ("sinusoidal-cap8-seed3" in plain) == (seeds == 1)
    assert "of the list of 17: " in plain
    assert "alibi-cap8-seed1" in plain
    assert "rotary-cap8-seed1" not in plain


@pytest.mark.parametrize(
    ("finding", "drawn", "column"),
    [
        ("length", 2, "development loss"),
        ("position", 2, "development loss"),
        ("moved", 1, "from 0"),
        ("schemes", 1, "development loss"),
    ],
)
def test_what_is_shown_of_it(open_experiment, finding, drawn, column):
    page = open_experiment(1, finding)
    assert len(page.get("plotly_chart")) == drawn
    (table,) = (each.value for each in page.table)
    assert column in table
    page.get_by_key("view-positions.finding").set_value("lost").run()
    assert len(page.get("plotly_chart")) == 2
    assert not page.exception


def test_the_verdict_is_no_stronger_than_the_intervals():
    assert verdict([]).startswith("No verdict is possible: no seed has all")
    assert "1 seed cannot tell" in verdict(contrasts(experiment(1)))
    told = verdict(contrasts(experiment(3, learned=5.0)))
    assert told.endswith("Not apart is not equal.")


def test_what_is_said_of_further_schemes():
    def cell(positions: str, low: int, high: int, value: float) -> CellMean:
        return CellMean("natural", low, high, positions, True, (value,), value, 0.1)

    kinds = ("sinusoidal", "learned", "alibi")
    told = of_schemes([cell(kind, *at) for kind in kinds for at in ((1, 8, 2.0), (9, 12, 3.0), (33, 64, 5.25))])
    assert "All schemes, 1 training each" in told
    assert "alibi 2.00 → 5.25 (33–64 pieces)" in told
    assert "put no difference down to a scheme" in told
    assert "No other scheme has been trained yet" in of_schemes([])


def test_what_is_missing_of_the_list():
    assert len(missing([])) == 17
    assert missing([])[0] == "sinusoidal-cap8-seed1"
    left = missing(experiment(3))
    assert left == ["alibi-cap8-seed1", "shaw-cap8-seed1", "t5-cap8-seed1", "none-cap8-seed1"]
