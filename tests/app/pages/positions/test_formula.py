"""Positions without a model."""

import pytest

from headscope.app.pages.positions.formula import of_formula
from headscope.app.view.positions_state import FORMULAS, PositionsView
from tests.app.page_tools import sent, settle, shown


@pytest.mark.parametrize("scheme", FORMULAS)
def test_every_scheme_follows_the_sliders(scheme):
    state = PositionsView(formula=scheme, width=16, span=24, base=100.0, heads=3)
    made = of_formula(state)
    assert all(chart.margin is None for chart in made)
    if scheme in ("sinusoidal", "rotary"):
        grid, *_ = made
        assert grid.grid.values.shape == ((16, 24) if scheme == "sinusoidal" else (8, 24))
        waves = next(chart for chart in made if "wavelengths" in chart.title)
        assert waves.series[0].y[4] == pytest.approx(2 * 3.14159265 * 10)
        assert set(waves.series[1].y) == {24}
    else:
        assert len(made[0].series) == (3 if scheme == "alibi" else 1)
        assert len(made[0].series[0].x) == 47


def test_the_smallest_width():
    assert len(of_formula(PositionsView(width=4, span=8))[1].series) == 2


def test_sliders_change_the_charts_and_the_address(open_app):
    page = open_app("positions", **{"p.view": "formula"})
    page.get_by_key("view-positions.width").set_value(32).run()
    page.get_by_key("view-positions.base").set_value(100.0).run()
    settle(page)
    assert (page.query_params["p.width"], page.query_params["p.base"]) == ("32", "100.0")
    assert len(page.get("plotly_chart")) == 2
    assert sent(page, "headscope_heat")["x"]["title"] == "position (from 0)"
    page.get_by_key("view-positions.formula").set_value("t5").run()
    assert shown(page).positions.formula == "t5"
    assert len(page.get("plotly_chart")) == 1
