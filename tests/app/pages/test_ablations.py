"""The page of ablations."""

import pytest
import streamlit as st

from headscope.analysis.experiments import grids
from headscope.analysis.experiments.ablation import ABLATIONS
from headscope.analysis.experiments.grids import BASE, GRIDS
from headscope.analysis.experiments.runner import RESULTS
from tests.analysis.experiments.test_differences import result


@pytest.fixture
def open_grid(open_app, tmp_path, monkeypatch):
    """Opens a grid on a server with the results of so many seeds of all its rows."""
    monkeypatch.setattr(grids, "KEPT", tmp_path)

    def visit(grid: str, seeds: int, **address: str):
        folder = tmp_path / "captions" / RESULTS
        folder.mkdir(parents=True, exist_ok=True)
        for seed in range(1, seeds + 1):
            for place, row in enumerate((BASE, *(row.name for row in GRIDS[grid].rows))):
                made = result(row, seed, 2 + 0.1 * place + 0.01 * seed * place, 20.0 - place)
                ABLATIONS.file(f"{row}-seed{seed}").save(made, folder)
        st.cache_resource.clear()
        return open_app("ablations", **{"ablation.grid": grid, **address})

    return visit


def words(page) -> str:
    return " ".join(each.value for each in (*page.main.markdown, *page.main.caption, *page.main.warning))


def test_without_results_the_page_says_how_they_are_made(open_app, tmp_path, monkeypatch):
    monkeypatch.setattr(grids, "KEPT", tmp_path)
    page = open_app("ablations")
    assert "as the README says" in words(page)
    assert not page.get("plotly_chart")


def test_differences_with_intervals_and_what_they_do_not_show(open_grid):
    page = open_grid("heads", 3)
    assert len(page.get("plotly_chart")) == 1
    table = page.dataframe[0].value
    assert list(table["row"])[:2] == ["as the recipe says", "1 head of 128"]
    assert table["difference"][1] == "-1.0 ± 0.0"
    assert list(table["from 0"][1:]) == ["apart"] * 4
    assert "What it does not show" in words(page)
    assert "15 trainings here" in words(page)


def test_one_seed_has_no_interval(open_grid):
    page = open_grid("heads", 1, **{"ablation.measure": "dev_nll"})
    table = page.dataframe[0].value
    assert table["difference"][2] == "+0.220"
    assert set(table["from 0"][1:]) == {"one seed: no interval"}


def test_the_cheat_is_named_as_one(open_grid):
    page = open_grid("attention", 2, **{"ablation.measure": "dev_nll"})
    assert "“no causal mask” is a cheat" in words(page)
    assert page.dataframe[0].value["row"].iloc[-1] == "no causal mask (a cheat)"


def test_a_grid_that_is_not_there_yet_and_one_of_unequal_budget(open_grid, tmp_path):
    page = open_grid("heads", 0)
    assert "no result here yet" in words(page)
    folder = tmp_path / "captions" / RESULTS
    for row, updates in ((BASE, 5), ("heads-1", 6)):
        ABLATIONS.file(f"{row}-seed1").save(result(row, 1, 2.0, 20.0, updates=updates), folder)
    st.cache_resource.clear()
    page.run()
    assert not page.exception
    assert any("numbers of updates" in each.value for each in (*page.main.text, *page.main.markdown, *page.main.error))


def test_controls_change_the_grid(open_grid):
    page = open_grid("heads", 2)
    page.get_by_key("view-ablations.grid").set_value("attention").run()
    assert not page.exception
    assert page.query_params["ablation.grid"] == "attention"
    assert "scaled dot product" in words(page)
