"""Which candidate is selected: by the browser, which is believed, or by Python, which the browser then follows."""

from dataclasses import replace

import streamlit as st

from headscope.app.components.beam_tree.beam_tree import BEAM_TREE, as_place
from headscope.app.view import session
from headscope.app.view.draw import said
from headscope.app.view.search_state import Place

TURN = "search turn"
"""Key of the session's state: what the browser has selected last, what it is told to select, and how often it was."""


def told(place: Place) -> tuple[Place, int]:
    """What the browser is to select, and the number of the turn: a new one where it has selected something else."""
    wanted = session.view().search.node
    last, shown, turn = st.session_state.get(TURN, (wanted, place, 0))
    if wanted != last or TURN not in st.session_state:
        last, shown, turn = wanted, place, turn + 1
    st.session_state[TURN] = (last, shown, turn)
    return shown, turn


def pick() -> None:
    """The visitor has selected a candidate."""
    if (place := as_place(said(BEAM_TREE, "picked"))) is None:
        return
    _, shown, turn = st.session_state.get(TURN, (None, place, 0))
    session.change(search=replace(session.view().search, node=place))
    st.session_state[TURN] = (session.view().search.node, shown, turn)
