"""Heads taken away: what becomes of the translation."""

import streamlit as st

from headscope.analysis.records.heads import heads_of
from headscope.app.components.compare.compare import COMPARE
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.view import controls, session
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import Frame
from headscope.app.view.shown import with_special
from headscope.app.view.working import long_work
from headscope.app.wire.axes import KIND_LABELS
from headscope.app.wire.compare import compare
from headscope.app.wire.wall import wall
from headscope.app.workbench import sentences

INSTEAD_LABELS = {"zero": "Nothing", "uniform": "Uniform attention"}


def choices() -> None:
    """Which heads are on the wall, what stands in their place, and all heads back on."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.kind()
        controls.one_of("In their place", INSTEAD_LABELS, "instead")
        st.button("All heads on", on_click=lambda: session.change(off=()), disabled=not session.view().off)


def toggle() -> None:
    """Take a head away, or bring it back."""
    view = session.view()
    if head := as_head(view.kind, said(WALL, "chosen")):
        session.change(off=tuple(sorted({*view.off} ^ {head})))


frame = Frame(session.workbench())
st.title("What happens without these heads?", anchor=False)
if frame.card:
    choices()
with frame.picture() as picture:
    view = session.view()
    bench, asked = session.workbench(), picture.sentence
    found = long_work(
        ("what if", asked, view.off, view.instead),
        "Translates without these heads",
        lambda bar: sentences.without(bench, asked, view.off, view.instead, progress=bar),
    )
    if found is not None:
        draw(COMPARE, compare(found))
    heads, shown = heads_of(picture.card.config, view.kind), with_special(picture.maps, view)
    draw(WALL, wall(shown, view.kind, heads=heads, off=view.off), on_chosen=toggle)
    elsewhere = [head for head in view.off if head.kind != view.kind]
    if elsewhere:
        names = ", ".join(f"{KIND_LABELS[kind].lower()} {layer + 1}.{head + 1}" for kind, layer, head in elsewhere)
        st.text(f"Off elsewhere: {names}")
controls.how_to_read(
    "A click takes a head away, another one brings it back; both translations are the best that the same search finds. "
    "The change is that of every token's log-probability when the decoder is made to read the first translation: "
    "negative where the heads were needed. "
    "With nothing in its place a head's output is 0, with uniform attention it keeps its values and loses its choice.",
    equation=r"\Delta_t = \log p_{\mathrm{without}}(y_t \mid y_{<t}, x) - \log p(y_t \mid y_{<t}, x)",
    source="Michel et al. 2019, section 2.3, remove heads in this way.",
)
