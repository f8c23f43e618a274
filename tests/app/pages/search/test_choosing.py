"""Which candidate is selected: browser and Python take turns."""

from dataclasses import replace

import pytest
import streamlit as st

from headscope.app.pages.search import choosing
from headscope.app.view import session
from headscope.app.view.search_state import Place
from headscope.app.view.state import View

FIRST, PICKED, FORCED = Place("a", 0, 0), Place("a", 2, 1), Place("1", 1, 3)


@pytest.fixture
def state(monkeypatch):
    """The state of a visitor's session."""
    state = {"view": View("toy", "text")}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(session, "change", lambda **fields: state.update(view=replace(state["view"], **fields)))
    return state


def select(state, place: Place) -> None:
    """Select a candidate, as a button of the page does."""
    state["view"] = replace(state["view"], search=replace(state["view"].search, node=place))


def pick(monkeypatch, value: object) -> None:
    """Select a candidate, as a browser does."""
    monkeypatch.setattr(choosing, "said", lambda component, name: value)
    choosing.pick()


def test_a_turn_lasts_until_python_selects_something_else(state):
    assert choosing.told(FIRST) == choosing.told(FIRST) == (FIRST, 1)
    select(state, FORCED)
    assert choosing.told(FORCED) == choosing.told(FORCED) == (FORCED, 2)


def test_the_browser_is_not_told_what_it_has_selected_itself(state, monkeypatch):
    choosing.told(FIRST)
    pick(monkeypatch, {"lane": "a", "step": 2, "index": 1})
    assert state["view"].search.node == PICKED
    assert choosing.told(PICKED) == (FIRST, 1)
    select(state, FORCED)
    assert choosing.told(FORCED) == (FORCED, 2)


@pytest.mark.parametrize("value", [None, "a.1.1", {"lane": "a", "step": -1, "index": 0}, {"lane": "a", "step": True}])
def test_what_is_no_place_changes_nothing(state, monkeypatch, value):
    before = dict(state)
    pick(monkeypatch, value)
    assert state == before
