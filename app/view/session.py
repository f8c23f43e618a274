"""One visitor's View between runs of the script: read from the address, changed by controls, written to the address."""

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from headscope.app.view.navigation import FIRST, PAGES
from headscope.app.view.state import (
    EXAMPLES,
    View,
    carried,
    default_view,
    first_new,
    fit,
    from_query,
    misread,
    to_query,
)
from headscope.app.workbench import folders, sentences, studies
from headscope.app.workbench.folders import checkpoint_folders
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.training import Places, Training
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError

CHECKPOINTS = "HEADSCOPE_CHECKPOINTS"
"""Environment variable by which the server tells the script where its checkpoints are."""
RUNS, DATA = "HEADSCOPE_RUNS", "HEADSCOPE_DATA"
"""The same for where runs and texts are."""
SOURCE = {"checkpoint", "source", "line", "entry"}
"""Fields of the View that decide what is translated: another sentence has other targets and other searches."""
ROWS = SOURCE | {"beam", "length_penalty", "target", "cut"}
"""Fields of the View that decide what the pieces of both sides are: when one changes, no cell of a map stays set."""
TOKENS = ROWS | {"unit"}
"""Fields of the View that decide what the tokens are: when one changes, none stays pinned."""


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """The workbench that all visitors of this server share."""
    return Workbench(checkpoint_folders(_places()))


@st.cache_resource(show_spinner=False)
def training() -> Training:
    """What all visitors of this server train."""
    runs, data = (Path(os.environ.get(name) or default) for name, default in ((RUNS, "runs"), (DATA, "data")))
    return Training(Places(runs.resolve(), data.resolve()))


def shelf() -> Path | None:
    """The folder that new checkpoints go into; None: this server has none."""
    return folders.shelf(_places())


def _places() -> list[str]:
    return [place for place in os.environ.get(CHECKPOINTS, "").split(os.pathsep) if place]


def warm_up(bench: Workbench) -> None:
    """Compute what a first visitor will see. What is wrong with it, the page will say."""
    with suppress(HeadscopeError):
        first = sentence(first_view(bench, bench.names[0]))
        sentences.measures(bench, first)
        studies.profile(bench, first.checkpoint)
        sentences.importance(bench, first)
    # Streamlit collects garbage after every run of the script, and nothing is sent to a browser meanwhile. To look
    # through the libraries that are loaded by now, which never are garbage, would take 0.13 s each time.
    gc.collect()
    gc.freeze()


def sentence(view: View) -> Sentence:
    """What a view asks the workbench for."""
    return Sentence(view.checkpoint, view.sentence, view.beam, view.length_penalty, view.entry, view.target, view.cut)


def first_view(bench: Workbench, checkpoint: str) -> View:
    """Where a visitor starts with a checkpoint: even one that is not there, for the page to say so."""
    try:
        card, symbols = bench.card(checkpoint), bench.symbols(checkpoint)
    except HeadscopeError:
        return View(checkpoint, EXAMPLES["en"])
    return default_view(checkpoint, card.config, card.languages[0], search=card.search, symbols=symbols)


def example(bench: Workbench) -> str:
    """The example sentence of the checkpoint in view."""
    return first_view(bench, view().checkpoint).source


def arrive(bench: Workbench, page: str) -> None:
    """Settle what this run shows, and let the address say it.

    A new address wins over the View of the session: a link, or the browser's back button. A control that was changed
    wins over the address, which is then a step behind; so does the session's View on another page that was opened
    without an address of its own.

    Args:
        page: the path of the page that is shown.
    """
    state, params = st.session_state, st.query_params.to_dict()
    changed = state.pop("changed", False)
    same = page == state.get("page")
    followed = params != state.get("address") and bool(params or same)
    if "view" not in state or (followed and not changed):
        state["view"] = _asked(bench, params)
        state["misread"] = misread(params, state["view"])
    if _asked(bench, params) != state["view"]:
        st.query_params.from_dict(to_query(state["view"]))
    elif followed and same:
        # Of a link to the page that it stands on, the browser has told the server and left its own address as it was.
        st.query_params.from_dict(params)
    state["address"], state["page"] = st.query_params.to_dict(), page


def view() -> View:
    """What this run shows."""
    return st.session_state["view"]


def misunderstood() -> str:
    """What of the address is not shown as it asks, until the visitor changes something; blank: nothing."""
    return st.session_state.get("misread", "")


def change(**fields: Any) -> None:
    """Change the View from a control's callback, before the script runs; values from the browser are checked again."""
    bench, before = workbench(), view()
    wanted = replace(before, **fields)
    if "source" in fields and "line" not in fields:
        wanted = replace(wanted, line=first_new(before.source, wanted.source, before.line))
    if wanted.checkpoint != before.checkpoint:
        old, new = (first_view(bench, checkpoint) for checkpoint in (before.checkpoint, wanted.checkpoint))
        wanted = carried(wanted, old, new)
    if fields.keys() & TOKENS:
        wanted = replace(wanted, pin=fields.get("pin"))
    if fields.keys() & ROWS:
        wanted = replace(wanted, detail=wanted.detail.anew())
    if fields.keys() & SOURCE:
        wanted = wanted.anew()
    st.session_state["view"] = _asked(bench, to_query(wanted))
    st.session_state["changed"] = True
    st.session_state["misread"] = ""


def page() -> str:
    """The name of the page that is shown, as the navigation has it."""
    return st.session_state["page"] or FIRST


def go_to(page: str) -> None:
    """Open another page about the same sentence, from a callback, by its name in the navigation."""
    st.session_state["next page"] = PAGES[page].name


def next_page() -> str | None:
    """The page that a callback has asked for, once."""
    return st.session_state.pop("next page", None)


def control(
    field: str,
    value: Any,
    *,
    clean: Callable[[Any], Any] = lambda value: value,
    on_change: Callable[[], None] | None = None,
    place: str = "view",
) -> dict[str, Any]:
    """Key and callback of a widget that shows and changes one field of the View.

    Args:
        field: its name, or a field of a page's own state, as in `search.mode` and `search.other.beam`.
        value: what the widget shows.
        clean: brings what the visitor chose into the form of the field.
        on_change: changes the View in a way of its own.
        place: where it stands, if another widget of the page has the same field.
    """
    key = f"{place}-{field}"
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value

    def take() -> None:
        name, *inner = field.split(".")
        change(**{name: _replaced(getattr(view(), name), inner, clean(st.session_state[key]))})

    return {"key": key, "on_change": on_change or take}


def _replaced(state: Any, path: list[str], value: Any) -> Any:
    """A page's state with another value at the end of the path; where that leads nowhere, the value alone."""
    return replace(state, **{path[0]: _replaced(getattr(state, path[0]), path[1:], value)}) if path else value


def _asked(bench: Workbench, params: dict[str, str]) -> View:
    """The view that query parameters ask for, fitted to the checkpoint if there is such a one."""
    default = first_view(bench, params.get("checkpoint") or bench.names[0])
    asked = from_query(params, default)
    try:
        return fit(asked, bench.card(asked.checkpoint).config, text=not bench.symbols(asked.checkpoint))
    except HeadscopeError:
        return asked
