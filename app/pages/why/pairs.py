"""Worked examples of patching: as cards of the gallery, and as buttons where patching is."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from headscope.app.view import controls, session
from headscope.app.view.state import default_view, to_query
from headscope.app.view.why_state import WhyView
from headscope.app.workbench import attributions
from headscope.model.card import Card

if TYPE_CHECKING:
    from headscope.analysis.gallery.minimal_pairs import MinimalPair

TITLES = {
    "gender": "Who is “{}”: a woman or a man?",
    "ambiguous word": "Which meaning has “{}”?",
    "written before": "“{}”: the article written before decides",
}
"""By the kind of a pair."""


def cards(card: Card) -> None:
    """The pairs that the model tells apart, each with the way to its patching; nothing where it tells none apart."""
    checkpoint = session.view().checkpoint
    if not (pairs := attributions.minimal_pairs(session.workbench(), checkpoint)):
        return
    st.header("What makes it choose the other translation?", anchor=False)
    st.markdown(
        ":small[:gray[Two runs that differ in a word or two, and that this model tells apart: patching puts single "
        "activations of the first into the second, and shows where that turns the choice.]]"
    )
    base = default_view(checkpoint, card.config, card.languages[0], search=card.search)
    with st.container(horizontal=True, key="pair cards"):
        for pair in pairs:
            with st.container(border=True, key=f"pair-{pair.kind}-{pair.word}".replace(" ", "-")):
                st.markdown(f"**{TITLES[pair.kind].format(pair.word)}**")
                firsts = pair.first_translations
                for source, said in zip(pair.sources, (firsts[0], pair.translations[1]), strict=True):
                    st.text(f"{source} → {said}")
                view = replace(
                    base,
                    source=pair.sources[1],
                    why=replace(opened(base.why, pair), below="patching"),
                    present=session.view().present,
                )
                controls.link("why", "Open patching", to_query(view))


def buttons(pairs: "Sequence[MinimalPair]") -> None:
    """Buttons that open them."""
    if not pairs:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="examples"):
        st.markdown(":small[:gray[Pairs that this model tells apart:]]", width="content")
        for pair in pairs:
            label = f"{pair.word}, by its article" if pair.prefix else pair.word
            st.button(label, key=f"pair {label}", on_click=partial(_open, pair))


def opened(own: WhyView, pair: "MinimalPair") -> WhyView:
    """The page with a pair's second source in view, and the first run patched into it."""
    other, source = pair.sources
    this, that = pair.translations
    return replace(own, other="" if other == source else other, this=this, that=that, prefix=pair.prefix)


def _open(pair: "MinimalPair") -> None:
    # A new source makes the page forget the texts of another sentence, so it comes first.
    session.change(source=pair.sources[1], target=None, cut=False, pin=None)
    session.change(why=opened(session.view().why, pair))
