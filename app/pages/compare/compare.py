"""Up to four models on one sentence, and over a corpus: where they differ."""

from dataclasses import replace

import streamlit as st

from headscope.app.pages.compare import corpus, heads, sides, translations, trees, why
from headscope.app.pages.compare.texts import TEXTS, VIEW_LABELS
from headscope.app.view import controls, session
from headscope.app.view.compare_state import SHOWS
from headscope.app.view.frame import Frame, problem
from headscope.app.view.presenter import Walk
from headscope.app.view.state import View
from headscope.model.errors import HeadscopeError

SHOWN = {
    "translations": translations.show,
    "heads": heads.show,
    "search": trees.show,
    "why": why.show,
    "layers": corpus.show_layers,
    "corpus": corpus.show,
}


def next_view(view: View, by: int) -> View:
    """The view before or behind."""
    at = max(0, min(SHOWS.index(view.compare.shows) + by, len(SHOWS) - 1))
    return replace(view, compare=replace(view.compare, shows=SHOWS[at]))


def next_head(view: View, by: int) -> View:
    """Another head of the layer; the View knows how many there are."""
    return replace(view, head=max(0, view.head + by))


WALKS = (Walk("view", "ArrowLeft", "ArrowRight", next_view), Walk("head", "ArrowUp", "ArrowDown", next_head))

bench = session.workbench()
frame = Frame(bench)
state = session.view().compare
text = TEXTS[state.shows]
st.title(text.question, anchor=False)
if frame.card:
    controls.one_of("View", VIEW_LABELS, "compare.shows", label_visibility="collapsed")
    sides.choose(bench, session.view(), frame.card)
with frame.picture(walks=WALKS) as picture:
    view = session.view()
    found, reasons = sides.sides(bench, view, picture.sentence)
    for reason in reasons:
        st.text(reason)
    if len(found) < 2:
        st.text("Choose something to compare with.")
    else:
        try:
            SHOWN[state.shows](picture, found, view)
        except HeadscopeError as error:
            problem(error)
        if view.target is not None:
            st.caption("Compared are the best translations, not the hypothesis that was chosen in the search.")
controls.how_to_read(text.text, equation=text.equation, source=text.source)
