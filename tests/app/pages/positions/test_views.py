"""The charts of each view, for one checkpoint."""

from dataclasses import replace

import pytest

from headscope.app.pages.positions import views
from headscope.app.view.positions_state import PositionsView
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from tests.app.page_tools import SENTENCE
from tests.toys import tiny_config

ASKED = Sentence("toy", SENTENCE, 1, 0.6)


@pytest.fixture(scope="module")
def bench(checkpoint) -> Workbench:
    return Workbench({"toy": checkpoint})


def test_which_scheme_takes_the_place_of_a_view():
    table, rotary = tiny_config(), tiny_config(positions="rotary")
    assert views.scheme_of(table, PositionsView()) is None
    assert views.scheme_of(rotary, PositionsView()) == "rotary"
    assert views.scheme_of(rotary, PositionsView(view="sentence")) == "rotary"
    assert views.scheme_of(rotary, PositionsView(view="training")) is None


def test_dimensions_and_heads_that_are_not_there(bench):
    (chart,) = views.of(bench, ASKED, PositionsView(view="waves", dimensions=(3, 500)))
    assert [line.name for line in chart.series] == ["dimension 3"]
    (chart,) = views.of(bench, ASKED, PositionsView(view="waves", dimensions=(500,)))
    assert [line.name for line in chart.series] == ["dimension 0"]
    _, scores = views.of(bench, ASKED, PositionsView(view="head", stack="decoder", head=9))
    assert scores.title.startswith("toy, head 2:")


def test_positions_taken(bench):
    state = PositionsView(view="distance", length=64)
    lengths = {
        rows: len(views.of(bench, ASKED, replace(state, rows=rows))[0].series[0].x) for rows in ("trained", "all")
    }
    assert lengths["trained"] < lengths["all"] == 64
