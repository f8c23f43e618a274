"""One head: which token looks at which."""

from functools import partial

import streamlit as st

from analysis.heads import Head
from analysis.record import AttentionMaps
from app import controls, session
from app.components.head_map import head_map
from app.components.lines import lines
from app.export.files import FIGURES, FORMS, Export
from app.frame import SPECIAL_LABELS, Frame, Picture
from app.shown import united, with_special
from app.state import View, stack
from model.config import ModelConfig

PICTURE_LABELS = {"matrix": "Matrix", "lines": "Lines"}
QUANTITY_LABELS = {"weight": "Weight", "contribution": "Contribution"}


def choices(config: ModelConfig) -> None:
    """Which head: kind of attention, layer, and the head of that layer."""
    side = stack(config, session.view().kind)
    with st.container(horizontal=True):
        controls.kind()
        controls.numbered(f"Layer of {side.layers}", side.layers, "layer")
        controls.numbered(f"Head of {side.heads}", side.heads, "head")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.one_of("Picture", PICTURE_LABELS, "picture", label_visibility="collapsed")
        controls.one_of("Quantity", QUANTITY_LABELS, "quantity", label_visibility="collapsed")
        if session.view().picture == "lines":
            beside(side.heads)


def beside(heads: int) -> None:
    """Which other heads of the layer are drawn too."""
    view = session.view()
    st.pills(
        "Other heads, drawn too",
        [head for head in range(heads) if head != view.head],
        selection_mode="multi",
        format_func=lambda head: f"+ {head + 1}",
        label_visibility="collapsed",
        **session.control("beside", [head for head in view.beside if head != view.head], clean=tuple),
    )


def recorded(picture: Picture, view: View) -> AttentionMaps:
    """Weights or contributions, in pieces or words."""
    if view.quantity == "weight":
        return picture.maps
    return united(session.workbench().contributions(picture.sentence), view)


def export(maps: AttentionMaps, view: View) -> None:
    """Buttons that save what is shown; a file is made when its button is pressed."""
    settings = f"beam {view.beam}, length penalty {view.length_penalty:g}"
    if view.special != "shown":
        settings += f", start and end symbols {SPECIAL_LABELS[view.special].lower()}"
    wanted = Export(maps, Head(view.kind, view.layer, view.head), view.checkpoint, settings)
    with st.container(horizontal=True, vertical_alignment="center", key="export"):
        st.markdown(":small[:gray[Save all heads as]]", width="content")
        for form in FORMS:
            if form == FIGURES[0]:
                st.markdown(":small[:gray[this head as]]", width="content")
            st.download_button(
                form,
                partial(FORMS[form], wanted),
                file_name=f"{view.checkpoint.replace('/', '-')}-{view.kind}-{view.layer + 1}-{view.head + 1}.{form}",
                key=f"export-{form}",
                on_click="ignore",
                type="tertiary",
            )


frame = Frame(session.workbench())
st.title("Where does this head look?", anchor=False)
if frame.card:
    choices(frame.card.config)
with frame.picture() as picture:
    view = session.view()
    record = with_special(recorded(picture, view), view)
    if view.picture == "lines":
        lines(record, view.kind, view.layer, sorted({view.head, *view.beside}))
    else:
        head_map(record, view.kind, view.layer, view.head)
    export(record.maps, view)
controls.how_to_read(
    "Each row is one query: in cross- and decoder attention the decoder has just read the left token and is "
    "about to predict the right one. "
    "The darker a cell (on the dark page, the brighter), the more weight this head gives to the token above it "
    "when it mixes their value vectors, and each row sums to 1. "
    "A weight says where a head looks, not what it makes of what it sees.",
    equation=r"\mathrm{weights} = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)",
    source="Vaswani et al. 2017, equation 1. Arrow keys walk tokens and cells, Enter pins, Escape lets go.",
)
