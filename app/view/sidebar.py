"""The sidebar: the controls that all pages share."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from headscope.app.components.enter.enter import ENTER
from headscope.app.components.help.help import HELP
from headscope.app.view import opening, presenter, session
from headscope.app.view.draw import draw
from headscope.app.view.state import ENTRIES, MOST_LINES, SCALES, SPECIALS, UNITS, View, lines, one_a_line
from headscope.app.wire.enter import Enter
from headscope.app.wire.help import key_help
from headscope.app.workbench import sentences
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS

SPECIAL_LABELS = {
    "shown": "Shown",
    "hidden": "Hidden",
    "renormalised": "Hidden, rows renormalised",
}
NO_TEXT = "This checkpoint has no text model: type its pieces, with blanks between them."
SCALE_LABELS = {"fixed": "From 0 to 1", "largest": "From 0 to the largest"}


def sidebar(bench: Workbench, page: str) -> None:
    """The controls that all pages share.

    Args:
        page: the name of the one that is shown, whose keys are listed.
    """
    view = session.view()
    known = view.checkpoint in bench.names
    with st.sidebar:
        st.selectbox(
            "Checkpoint",
            bench.names,
            index=0 if known else None,
            placeholder="Choose one",
            **session.control("checkpoint", view.checkpoint if known else None),
        )
        _sentence(view)
        if known:
            _entry(bench, view)
        if view.entry == "text":
            st.segmented_control(
                "Tokens", UNITS, required=True, format_func=str.capitalize, **session.control("unit", view.unit)
            )
        st.selectbox(
            "Start and end symbols",
            SPECIALS,
            format_func=SPECIAL_LABELS.__getitem__,
            **session.control("special", view.special),
        )
        with st.container(horizontal=True):
            presenter.enter()
            opening.enter()
        with st.expander("Advanced"):
            st.selectbox(
                "Colours of weights",
                SCALES,
                format_func=SCALE_LABELS.__getitem__,
                **session.control("scale", view.scale),
            )
            st.number_input("Beam", *PAGE_BEAMS, step=1, **session.control("beam", view.beam))
            st.number_input(
                "Length penalty",
                *ALPHAS,
                step=0.1,
                format="%.1f",
                **session.control("length_penalty", view.length_penalty, clean=lambda value: round(value, 6)),
            )
        draw(HELP, key_help(page))


def _sentence(view: View) -> None:
    """Where sentences are typed, and how many there are."""
    st.text_area("Sentence", height="content", **session.control("source", view.source, clean=one_a_line))
    draw(ENTER, Enter("Sentence"))
    if len(lines(view.source)) == MOST_LINES:
        st.caption(f"{MOST_LINES} sentences are the most: what was typed after them is left out.")


def _entry(bench: Workbench, view: View) -> None:
    """Whether the sentence is text or pieces, where that can be chosen."""

    def choose() -> None:
        """Type the same sentences the other way; if one cannot be read stays as it is."""
        source, asked = view.source, session.sentence(view)
        with suppress(HeadscopeError):
            source = "\n".join(sentences.spelt(bench, replace(asked, source=line)) for line in lines(source))
        session.change(entry=st.session_state["view-entry"], source=source, line=view.line)

    try:
        symbols = bench.symbols(view.checkpoint)
    except HeadscopeError:  # the page says what is wrong, in the place of its picture
        return
    if symbols:
        st.markdown(f":small[:gray[{NO_TEXT}]]")
        return
    st.segmented_control(
        "Sentence typed as",
        ENTRIES,
        required=True,
        format_func=str.capitalize,
        **session.control("entry", view.entry, on_change=choose),
    )
