"""Controls that several pages share."""

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from headscope.app.view import session
from headscope.model.config import ModelConfig
from headscope.model.network.sites import heads_at, layers_of

Visibility = Literal["visible", "hidden", "collapsed"]
QUANTITY_LABELS = {"weight": "Weight", "contribution": "Contribution"}
KIND_LABELS = {"cross": "Cross", "encoder": "Encoder", "decoder": "Decoder"}


def kind() -> None:
    """Which kind of attention."""
    one_of("Attention", KIND_LABELS, "kind")


def head(config: ModelConfig) -> None:
    """Which head: kind of attention, layer, and the head of that layer."""
    view = session.view()
    layers, heads = len(layers_of(config, view.kind)), heads_at(config, view.kind, view.layer)
    with st.container(horizontal=True):
        kind()
        numbered(f"Layer of {layers}", layers, "layer")
        numbered(f"Head of {heads}", heads, "head")


def quantity() -> None:
    """Weights or contributions."""
    one_of("Quantity", QUANTITY_LABELS, "quantity", label_visibility="collapsed")


def one_of(label: str, names: Mapping[str, str], field: str, *, label_visibility: Visibility = "visible") -> None:
    """A choice among a few: what each is called, by its value in a field of the View."""
    st.segmented_control(
        label,
        list(names),
        required=True,
        format_func=names.__getitem__,
        label_visibility=label_visibility,
        **session.control(field, getattr(session.view(), field)),
    )


def numbered(label: str, count: int, field: str) -> None:
    """A choice among things that are counted from 1 on the page and from 0 in the View."""
    st.segmented_control(
        label,
        range(count),
        required=True,
        format_func=lambda index: str(index + 1),
        **session.control(field, getattr(session.view(), field)),
    )


def how_to_read(text: str, *, equation: str = "", source: str = "") -> None:
    """Three sentences, an equation, and where it comes from; nothing is loaded for them until they are opened."""
    if session.view().present:
        return
    with st.expander("How to read this", key="how_to_read", on_change="rerun") as explanation:
        if not explanation.open:
            return
        st.markdown(text)
        if equation:
            st.latex(equation)
        st.caption(source)
