"""What if: branches of a search that are told what to write or what not, and the way back."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from headscope.app.components.beam_tree.beam_tree import BEAM_TREE, as_act, as_typed
from headscope.app.pages.search.lanes import Chosen, Lane, forbade, forced, settings_a, written
from headscope.app.view import session
from headscope.app.view.draw import said
from headscope.app.view.search_state import MOST_BRANCHES, Place, SearchView
from headscope.app.view.state import View
from headscope.app.wire.beam_tree import NOTHING_TYPED, Offers, offers
from headscope.app.workbench import searches
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints
from headscope.model.search.limits import PAGE_LENGTHS
from headscope.model.search.trace import Fate

PAST = "search past"
"""Key of the session's state: sentences, and what the page showed about them before each what-if."""
PROBLEM = "search problem"
"""Key of the session's state: a sentence, and why the last what-if about it was not done."""
TYPED = "search typed"
"""Key of the session's state: what the visitor has typed of a piece or word to be forced or forbidden."""
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


def typed() -> None:
    """The visitor types the beginning of a piece, or a word."""
    st.session_state[TYPED] = as_typed(said(BEAM_TREE, "typed"))


def offered(bench: Workbench, sentence: Sentence, first: Lane) -> Offers:
    """What may be meant by what was typed last."""
    text = st.session_state.get(TYPED, "")
    if not text.strip() or first.record is None:
        return NOTHING_TYPED
    return offers(text, searches.completions(bench, sentence, text), first.record.end)


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
    return view.checkpoint, view.sentence, view.entry


def _undo() -> None:
    _, before = st.session_state[PAST].pop()
    st.session_state.pop(PROBLEM, None)
    session.change(search=before)


def forms(bench: Workbench, sentence: Sentence, chosen: Chosen) -> None:
    """A beginning that is edited, and the way back."""
    text = written(chosen)

    def begin() -> None:
        def make() -> tuple[Constraints, int]:
            if not (beginning := st.session_state["search-beginning"]).strip():
                raise HeadscopeError("the field is empty: type how the translation begins")
            told = searches.constraints(bench, sentence, prefix=beginning)
            return told, len(told.prefix) - 1

        branch(bench, sentence, make)

    if st.session_state.get("search-from") != (chosen.place, text):
        st.session_state["search-from"] = (chosen.place, text)
        st.session_state["search-beginning"] = text
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if"):
        st.text_input("Let the translation begin with", key="search-beginning")
        st.button("Search on from there", on_click=begin, key="search-begin")
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
