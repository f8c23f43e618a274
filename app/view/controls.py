"""Controls that several pages share."""

import string
from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Literal

import streamlit as st

from headscope.app.view import session
from headscope.app.view.navigation import PAGES
from headscope.app.wire.axes import KIND_LABELS
from headscope.model.config import ModelConfig
from headscope.model.sites import heads_at, layers_of

Visibility = Literal["visible", "hidden", "collapsed"]
QUANTITY_LABELS = {"weight": "Weight", "contribution": "Contribution"}


def kind(config: ModelConfig) -> None:
    """Which kind of attention, of those that the model has."""
    known = config.capabilities().kinds
    one_of("Attention", {kind: label for kind, label in KIND_LABELS.items() if kind in known}, "kind")


def head(config: ModelConfig) -> None:
    """Which head: kind of attention, layer, and the head of that layer."""
    with st.container(horizontal=True):
        kind(config)
        place(config)


def place(config: ModelConfig) -> None:
    """Which layer of the kind in view, and which of its heads."""
    view = session.view()
    layers, heads = len(layers_of(config, view.kind)), heads_at(config, view.kind, view.layer)
    numbered(f"Layer of {layers}", layers, "layer")
    numbered(f"Head of {heads}", heads, "head")


def quantity() -> None:
    """Weights or contributions."""
    one_of("Quantity", QUANTITY_LABELS, "quantity", label_visibility="collapsed")


def one_of(label: str, names: Mapping[Any, str], field: str, *, label_visibility: Visibility = "visible") -> None:
    """A choice among a few: what each is called, by its value in a field of the View, as `session.control` names it."""
    st.segmented_control(
        label,
        list(names),
        required=True,
        format_func=names.__getitem__,
        label_visibility=label_visibility,
        **session.control(field, attrgetter(field)(session.view())),
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


def link(page: str, label: str, query: dict[str, str]) -> None:
    """A link to a view on a page.

    Args:
        page: its name in the navigation.
        query: the view, as query parameters.
    """
    st.page_link(PAGES[page].file, label=label, icon=":material/arrow_forward:", query_params=query)


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


def literal(text: str) -> str:
    """A token as it stands, for a label that Streamlit reads as Markdown.

    A backslash keeps each sign from meaning anything to Markdown, and a word joiner, which nobody sees, from being part
    of an address or of the name of an icon, which are looked for later.
    """
    return "".join(f"\\{sign}\u2060" if sign in string.punctuation else sign for sign in text)
