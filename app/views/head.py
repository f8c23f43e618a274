"""One head: which token looks at which."""

import streamlit as st

from app import session
from app.components.head_map import head_map
from app.frame import Frame
from app.state import KINDS, stack
from model.config import ModelConfig

KIND_LABELS = {"cross": "Cross", "encoder": "Encoder", "decoder": "Decoder"}


def controls(config: ModelConfig) -> None:
    """Which head: kind of attention, layer, and the head of that layer."""
    view = session.view()
    side = stack(config, view.kind)
    with st.container(horizontal=True):
        st.segmented_control(
            "Attention",
            KINDS,
            required=True,
            format_func=KIND_LABELS.__getitem__,
            **session.control("kind", view.kind),
        )
        numbered(f"Layer of {side.layers}", side.layers, "layer", view.layer)
        numbered(f"Head of {side.heads}", side.heads, "head", view.head)


def numbered(label: str, count: int, field: str, value: int) -> None:
    """A choice among things that are counted from 1 on the page and from 0 in the View."""
    st.segmented_control(
        label, range(count), required=True, format_func=lambda index: str(index + 1), **session.control(field, value)
    )


def how_to_read() -> None:
    """Three sentences and the equation; nothing is loaded for them until they are opened."""
    with st.expander("How to read this", key="how_to_read", on_change="rerun") as explanation:
        if not explanation.open:
            return
        st.markdown(
            "Each row is one query: in cross- and decoder attention the decoder has just read the left token and is "
            "about to predict the right one. "
            "The darker a cell (on the dark page, the brighter), the more weight this head gives to the token above it "
            "when it mixes their value vectors, and each row sums to 1. "
            "A weight says where a head looks, not what it makes of what it sees."
        )
        st.latex(r"\mathrm{weights} = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)")
        st.caption("Vaswani et al. 2017, equation 1. Arrow keys walk tokens and cells, Enter pins, Escape lets go.")


frame = Frame(session.workbench())
st.title("Where does this head look?", anchor=False)
if frame.card:
    controls(frame.card.config)
with frame.picture() as reading:
    view = session.view()
    head_map(reading.maps, view.kind, view.layer, view.head)
how_to_read()
