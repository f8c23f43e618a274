"""What if: branches of a search that are told what to write or what not, and the way back."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from headscope.app.components.beam_tree.beam_tree import BEAM_TREE, as_act
from headscope.app.pages.search.lanes import Chosen, Lane, forbade, forced, settings_a, written
from headscope.app.view import session
from headscope.app.view.draw import said
from headscope.app.view.search_state import MOST_BRANCHES, Place, SearchView
from headscope.app.view.state import View
from headscope.app.workbench import searches
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints, Prefix
from headscope.model.search.limits import PAGE_LENGTHS
from headscope.model.search.trace import Fate

PAST = "search past"
"""Key of the session's state: sentences, and what the page showed about them before each what-if."""
PROBLEM = "search problem"
"""Key of the session's state: a sentence, and why the last what-if about it was not done."""
MOST_PAST = 50


def act(bench: Workbench, sentence: Sentence, lanes: list[Lane]) -> None:
    """Do what the visitor has asked for in a tree."""
    asked = as_act(said(BEAM_TREE, "wanted"), longest=PAGE_LENGTHS[1])
    lane = next((lane for lane in lanes if asked and lane.name == asked.lane), None)
    if asked is None or lane is None:
        return
    if asked.verb == "close":
        _close(lane.name)
    else:
        told = {"force": forced, "forbid": forbade}[asked.verb]
        branch(bench, sentence, lambda: (told(lane, asked.path), len(asked.path) - 1))


def branch(bench: Workbench, sentence: Sentence, make: Callable[[], tuple[Constraints, int]]) -> None:
    """Open a branch, and select the best candidate of a step of it. If it cannot be searched, say why instead.

    Args:
        make: what the branch is told, and the step.
    """
    view = session.view()
    try:
        if len(view.search.branches) == MOST_BRANCHES:
            raise HeadscopeError(f"{MOST_BRANCHES} branches stand side by side: close one first")
        told, step = make()
        record = searches.search(bench, sentence, settings=settings_a(bench, sentence, view), constraints=told)
    except HeadscopeError as error:
        st.session_state[PROBLEM] = (_about(view), str(error))
        return
    step = min(step, len(record.trace.steps) - 1)
    fates = [candidate.fate is Fate.EXCLUDED for candidate in record.trace.steps[step].candidates]
    node = Place(str(len(view.search.branches) + 1), step, fates.index(False) if False in fates else 0)
    _change(replace(view.search, branches=(*view.search.branches, told), node=node))


def _close(name: str) -> None:
    search = session.view().search
    if name == "b":
        _change(replace(search, other=None, node=None))
    else:
        kept = (told for number, told in enumerate(search.branches, 1) if str(number) != name)
        _change(replace(search, branches=tuple(kept), node=None))


def _change(search: SearchView) -> None:
    view = session.view()
    st.session_state.pop(PROBLEM, None)
    past = st.session_state.setdefault(PAST, [])
    past.append((_about(view), view.search))
    del past[:-MOST_PAST]
    session.change(search=search)


def _about(view: View) -> tuple[str, str, str]:
    """What is translated by which checkpoint: branches of anything else cannot be taken back here."""
    return view.checkpoint, view.source, view.entry


def _undo() -> None:
    _, before = st.session_state[PAST].pop()
    st.session_state.pop(PROBLEM, None)
    session.change(search=before)


def forms(bench: Workbench, sentence: Sentence, chosen: Chosen) -> None:
    """A piece that is typed, a beginning that is edited, and the way back."""
    lane, path = chosen.lane, chosen.path
    text, ended = written(chosen)

    def typed(told: Callable[[Lane, Prefix], Constraints]) -> None:
        if spelling := st.session_state["search-piece"].strip():

            def make() -> tuple[Constraints, int]:
                piece = searches.constraints(bench, sentence, force=(spelling,)).prefix[-1]
                return told(lane, (*path, piece)), len(path)

            branch(bench, sentence, make)

    def begin() -> None:
        if (beginning := st.session_state["search-beginning"]).strip():

            def make() -> tuple[Constraints, int]:
                told = searches.constraints(bench, sentence, prefix=beginning)
                return told, len(told.prefix) - 1

            branch(bench, sentence, make)

    if st.session_state.get("search-from") != (chosen.place, text):
        st.session_state["search-from"] = (chosen.place, text)
        st.session_state["search-beginning"] = text
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if"):
        st.text_input("A piece behind the selected one", key="search-piece", placeholder="as the vocabulary spells it")
        st.button("Force", on_click=typed, args=(forced,), disabled=ended, key="search-force")
        st.button("Forbid", on_click=typed, args=(forbade,), disabled=ended, key="search-forbid")
        st.text_input("Or: the translation begins with", key="search-beginning")
        st.button("Go on from it", on_click=begin, key="search-begin")
        past = st.session_state.get(PAST)
        st.button(
            "Undo",
            on_click=_undo,
            disabled=not past or past[-1][0] != _about(session.view()),
            key="search-undo",
        )
    about, problem = st.session_state.get(PROBLEM, (None, ""))
    if about == _about(session.view()):
        with st.container(border=True, key="what_if_problem"):
            st.text(f"That was not searched: {problem}.")
