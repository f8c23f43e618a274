"""One head: which token looks at which."""

import streamlit as st

from headscope.analysis.records.heads import Head
from headscope.app.components.compare.compare import COMPARE
from headscope.app.components.head_map.head_map import HEAD_MAP
from headscope.app.components.lines.lines import LINES, as_toggled
from headscope.app.pages.head.alike import alike
from headscope.app.pages.head.set_weight import set_cell, set_weight, with_set_weight
from headscope.app.view import controls, saving, session
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import Frame, recorded
from headscope.app.view.head_state import SHARES, toggled
from headscope.app.view.measured import beside_corpus
from headscope.app.view.shown import united, with_special
from headscope.app.wire.compare import compare
from headscope.app.wire.head_map import head_map
from headscope.app.wire.lines import lines
from headscope.app.workbench import sentences, studies
from headscope.model.config import ModelConfig
from headscope.model.sites import heads_at

PICTURE_LABELS = {"matrix": "Matrix", "lines": "Lines"}


def choices(config: ModelConfig) -> None:
    """Which head, and how it is shown."""
    with st.container(key="choices"):
        controls.head(config)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            controls.one_of("Picture", PICTURE_LABELS, "picture", label_visibility="collapsed")
            controls.quantity()
            if session.view().picture == "lines":
                share()


def share() -> None:
    """How much of each row is drawn as lines."""
    with st.container(width=240):
        st.slider(
            "Drawn of each row",
            *SHARES,
            step=0.05,
            format="percent",
            **session.control("detail.share", session.view().detail.share, clean=lambda value: round(value, 2)),
        )


def toggle() -> None:
    """Draw a head of the layer too, or leave it out; the last one stays."""
    view = session.view()
    head, beside = toggled(view.head, view.beside, as_toggled(said(LINES, "toggled")))
    session.change(head=head, beside=beside)


frame = Frame(session.workbench())
st.title("Where does this head look?", anchor=False)
if frame.card:
    choices(frame.card.config)
with frame.picture() as picture:
    view = session.view()
    config = picture.card.config
    found = with_set_weight(picture, view)
    weights = view.quantity == "weight"
    maps = united(found.maps_after, view) if found and weights else recorded(picture, view)
    record = with_special(maps, view)
    if view.picture == "lines":
        heads = sorted({view.head, *view.beside})
        every = range(heads_at(config, view.kind, view.layer))
        message = lines(record, view.kind, view.layer, heads, share=view.detail.share, choices=[*every])
        draw(LINES, message, on_toggled=toggle)
    else:
        exact = weights and view.unit == "pieces" and view.special != "renormalised" and view.target is None
        message = head_map(
            record,
            view.kind,
            view.layer,
            view.head,
            settable=exact and not view.present,
            set_cell=set_cell(found, view) if weights else None,
        )
        draw(HEAD_MAP, message, on_set=set_weight)
    if found:
        if not weights:
            st.caption("Contributions are those of the sentence with all weights as they are.")
        draw(COMPARE, compare(found, ("As it is", "With the weight set")))
    if not view.present:
        alike(picture, view)
        with st.container(horizontal=True):
            st.button("Why did the model say this?", on_click=lambda: session.go_to("why"))
            st.button("How did this head come to be?", on_click=lambda: session.go_to("training"))
        made = f", {view.detail.set}" if found and weights else ""
        saving.files(saving.wanted(record, view, picture.card, view.picture, settings=made))
        head = Head(view.kind, view.layer, view.head)
        bench = session.workbench()
        beside_corpus(head, sentences.measures(bench, picture.sentence), studies.profile(bench, view.checkpoint))
controls.how_to_read(
    "Each row is one query: in cross- and decoder attention the decoder has just read the left token and is "
    "about to predict the right one. "
    "The darker a cell (on the dark page, the brighter), the more weight this head gives to the token above it "
    "when it mixes their value vectors, and each row sums to 1. "
    "A weight says where a head looks, not what it makes of what it sees.",
    equation=r"\mathrm{weights} = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)",
    source="Vaswani et al. 2017, equation 1. Arrow keys walk tokens and cells, Enter pins, Escape lets go.",
)
