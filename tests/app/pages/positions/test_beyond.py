"""The experiment beyond the trained length."""

import pytest
import streamlit as st

from headscope.analysis.positions import jobs
from headscope.analysis.positions.experiment import result_file
from headscope.analysis.positions.verdict import contrasts
from headscope.app.pages.positions.beyond import verdict
from tests.analysis.positions.test_verdict import experiment


@pytest.fixture
def open_experiment(open_app, tmp_path, monkeypatch):
    """Opens the view on a server with the results of so many seeds."""
    monkeypatch.setattr(jobs, "KEPT", tmp_path)

    def visit(seeds: int):
        for number, result in enumerate(experiment(seeds)):
            name = f"{result.positions}-{result.cap}-{result.seed}-{number}"
            result_file(name).save(result.model_copy(update={"name": name}), tmp_path)
        st.cache_resource.clear()
        return open_app("positions", **{"p.view": "experiment"})

    return visit


def words(page) -> str:
    return " ".join(each.value for each in (*page.main.markdown, *page.main.caption))


def test_without_results_the_page_says_how_they_are_made(open_experiment):
    page = open_experiment(0)
    assert "headscope positions experiment" in words(page)
    assert not page.get("plotly_chart")


@pytest.mark.parametrize(("seeds", "said"), [(1, "1 seed cannot tell"), (3, "Of 3 seeds, beyond 8 pieces")])
def test_any_number_of_seeds(open_experiment, seeds, said):
    page = open_experiment(seeds)
    assert said in words(page)
    assert f"{5 * seeds} trainings" in words(page)
    assert len(page.get("plotly_chart")) == 8
    assert len(page.dataframe) == 2
    assert page.get("download_button")


def test_the_verdict_is_no_stronger_than_the_intervals():
    assert verdict([]).startswith("No verdict is possible: no seed has all")
    assert "1 seed cannot tell" in verdict(contrasts(experiment(1)))
    told = verdict(contrasts(experiment(3, learned=5.0)))
    assert told.endswith("Not apart is not equal.")
