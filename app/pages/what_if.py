"""Heads taken away: what becomes of the translation, and of the attention in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from headscope.analysis.interventions.instead import INSTEAD
from headscope.analysis.records.heads import Head, heads_of
from headscope.app.components.compare.compare import COMPARE
from headscope.app.components.head_map.head_map import HEAD_MAP
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.export.files import Without, taken_away
from headscope.app.view import controls, saving, session
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import Frame
from headscope.app.view.shown import united, with_special
from headscope.app.view.state import View
from headscope.app.view.wall_place import WallPlace
from headscope.app.view.working import long_work
from headscope.app.wire.axes import KIND_LABELS
from headscope.app.wire.compare import compare
from headscope.app.wire.head_map import head_map
from headscope.app.wire.shown import changed
from headscope.app.wire.wall import wall
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import MOST_TELLING, Sentence
from headscope.model.card import Card
from headscope.model.config import ModelConfig

if TYPE_CHECKING:
    from headscope.analysis.attribution.importance import HeadImportance
    from headscope.analysis.interventions.effects import WhatIf

INSTEAD_LABELS = {
    "zero": "Nothing",
    "uniform": "Uniform attention",
    "mean": "Mean of sentences",
    "resampled": "Another sentence",
}


def choices(config: ModelConfig) -> None:
    """Which heads are on the wall, what stands in their place, and all heads back on."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.kind(config)
        controls.one_of("In their place", INSTEAD_LABELS, "instead")
        off = session.view().off
        st.button("All heads on", on_click=lambda: session.change(off=()), disabled=off == ())
        st.button("Those that tell most", on_click=lambda: session.change(off=None), disabled=off is None)


def toggle(off: tuple[Head, ...]) -> None:
    """Take one more head away, or bring it back."""
    if head := as_head(session.view().kind, said(WALL, "chosen")):
        session.change(off=tuple(sorted({*off} ^ {head})))


@dataclass(frozen=True, slots=True)
class Removed:
    """What is drawn; None: the visitor has stopped the work for it."""

    off: tuple[Head, ...]
    importance: "HeadImportance | None"
    found: "WhatIf | None"


def remove(asked: Sentence, view: View, meanwhile: Callable[[], None]) -> Removed:
    """Take away the heads in view or, where the visitor has chosen none, those that tell most."""
    bench, off = session.workbench(), view.off or ()
    importance = long_work(
        ("importance", asked),
        "Takes every head away in turn",
        lambda bar: sentences.importance(bench, asked, progress=bar),
        meanwhile=meanwhile,
    )
    if view.off is None and importance is not None:
        found = long_work(
            ("telling", asked, view.instead),
            "Looks for heads that change the translation",
            lambda bar: sentences.telling(bench, asked, view.instead, progress=bar),
            meanwhile=meanwhile,
        )
        if found is None:
            return Removed(off, importance, None)
        off = found
    found = long_work(
        ("what if", asked, off, view.instead),
        "Translates without these heads",
        lambda bar: sentences.without(bench, asked, off, view.instead, progress=bar),
        meanwhile=meanwhile,
    )
    return Removed(off, importance, found)


def chosen(off: Sequence[Head], found: "WhatIf") -> str:
    """Why these heads."""
    why = (
        "No other head, alone, changes the log-probability of this translation as much"
        if len(off) == 1
        else "No others, each alone, change the log-probability of this translation as much"
    )
    if found.before.text == found.after.text:
        became = f"nor do the first {MOST_TELLING} together change what is found"
    else:
        became = "without it another one is found" if len(off) == 1 else "without all of them another one is found"
    return f"Taken away: {named(off)}. {why}; {became}."


def named(heads: Sequence[Head]) -> str:
    """As in "cross 4.5, encoder 1.2"."""
    return ", ".join(f"{KIND_LABELS[kind].lower()} {layer + 1}.{head + 1}" for kind, layer, head in heads)


def attention(found: "WhatIf", off: tuple[Head, ...], view: View, card: Card) -> None:
    """One head's map of the first translation with all heads, without those that are off, and the difference."""
    if not view.present:
        with st.container(horizontal=True):
            controls.place(card.config)
    before, after = (with_special(united(maps, view), view) for maps in (found.maps_before, found.maps_after))
    difference = changed(after, before)
    with st.container(horizontal=True, key="maps"):
        for title, shown in {"With all heads": before, "Without": after, "Difference": difference}.items():
            with st.container():
                message = head_map(shown, view.kind, view.layer, view.head, title=title)
                draw(HEAD_MAP, message, key=f"head_map {title}")
    if not difference.maps.layers(view.kind)[view.layer][view.head].any():
        st.caption("Nothing changes in this map: what the head reads does not depend on the heads that are off.")
    changes = Without(after.maps, taken_away(off, INSTEAD[view.instead]))
    export = saving.wanted(before, replace(view, target=None), card, "what-if", without=changes)
    saving.figures("Save the three maps as", export)
    if view.target is not None:
        st.caption("As above, this is the best translation, not the hypothesis that was chosen in the search.")


frame = Frame(session.workbench())
st.title("What happens without these heads?", anchor=False)
if frame.card:
    choices(frame.card.config)
with frame.picture() as picture:
    view = session.view()
    asked = replace(picture.sentence, target=None, cut=False)
    heads, shown = heads_of(picture.card.config, view.kind), with_special(picture.maps, view)
    work, compared, place, below = (
        st.container(),
        st.container(),
        WallPlace(("what if", asked, view.kind)),
        st.container(),
    )
    with work:
        removed = remove(asked, view, lambda: place.meanwhile(lambda: wall(shown, view.kind, heads=heads, off=())))
    off, found = removed.off, removed.found
    if found is not None:
        with compared:
            draw(COMPARE, compare(found, importance=removed.importance))
            if view.off is None and off:
                st.caption(chosen(off, found))
    place.draw(wall(shown, view.kind, heads=heads, off=off), on_chosen=partial(toggle, off))
    with below:
        if elsewhere := [head for head in off if head.kind != view.kind]:
            st.text(f"Off elsewhere: {named(elsewhere)}")
        if found is not None:
            attention(found, off, view, picture.card)
controls.how_to_read(
    "A click takes a head away, another one brings it back; both translations are the best that the same search finds. "
    "The change is that of every token's log-probability when the decoder is made to read the first translation: "
    "negative where the heads were needed. "
    "With nothing in its place a head's output is 0, with uniform attention it keeps its values and loses its choice. "
    "With the mean of sentences it puts out the same in every row, its average over those of the gallery: what it does "
    "in any sentence stays, what it says of this one goes. With another sentence it puts out, row by row, what it did "
    "in the first other one of the gallery. "
    "The three maps are one head's attention in the first translation with all heads, without those that are off, and "
    "the second minus the first. "
    "Where nothing that was taken away can be read, as in layers before it, the difference is 0 in every row.",
    equation=r"\Delta_t = \log p_{\mathrm{without}}(y_t \mid y_{<t}, x) - \log p(y_t \mid y_{<t}, x)",
    source="Michel et al. 2019, section 2.3, remove heads in this way.",
)
