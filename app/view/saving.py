"""Buttons that save what a page shows; a file is made when its button is pressed."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from headscope.analysis.records.heads import Head
from headscope.app.export.files import FIGURES, FORMS, Export, Picture, Without
from headscope.app.export.paper import WIDTHS, WidthName
from headscope.app.view import session
from headscope.app.view.sidebar import SPECIAL_LABELS
from headscope.app.view.state import View
from headscope.app.wire.shown import Shown
from headscope.model.card import Card
from headscope.model.search.settings import searched

WIDTH_LABELS: Mapping[WidthName, str] = {"column": "one column", "page": "two columns", "slide": "a slide"}


def wanted(
    record: Shown, view: View, card: Card, picture: Picture, *, settings: str = "", without: Without | None = None
) -> Export:
    """What is saved of a record that a page shows.

    Args:
        settings: what is to be said besides of how it came about.
        without: what a what-if compares with.
    """
    settings = searched(session.sentence(view).settings(card.search)) + settings
    if view.special != "shown":
        settings += f", start and end symbols {SPECIAL_LABELS[view.special].lower()}"
    return Export(
        record.maps,
        Head(view.kind, view.layer, view.head),
        view.checkpoint,
        settings,
        card.languages,
        record.hidden,
        picture=picture,
        beside=view.beside,
        share=view.detail.share,
        scale=view.scale,
        width=chosen(),
        without=without,
    )


def files(export: Export) -> None:
    """All forms: of every head, and the figure of what is shown."""
    with row():
        label("Save all heads as")
        _buttons(export, [form for form in FORMS if form not in FIGURES])
        label("this head as")
        _buttons(export, FIGURES)
        width()


def figures(title: str, export: Export) -> None:
    """The figure of what is shown; nothing where the page is presented."""
    if session.view().present:
        return
    with row():
        label(title)
        _buttons(export, FIGURES)
        width()


def row(key: str = "export") -> DeltaGenerator:
    """Where buttons stand; `key` as `button` has it."""
    return st.container(horizontal=True, vertical_alignment="center", key=key)


def label(text: str) -> None:
    """What the buttons after it save."""
    st.markdown(f":small[:gray[{text}]]", width="content")


def width() -> None:
    """How wide figures are."""
    st.selectbox(
        "Width of the figure",
        get_args(WidthName),
        format_func=lambda name: f"{WIDTH_LABELS[name]}, {2.54 * WIDTHS[name].inches:.1f} cm",
        label_visibility="collapsed",
        width=190,
        key="export-width",
    )


def chosen() -> WidthName:
    """How wide figures are to be."""
    return st.session_state.get("export-width", "column")


def _buttons(export: Export, forms: Sequence[str]) -> None:
    kind, layer, head = export.head
    place = {"wall": kind, "what-if": f"without-{kind}-{layer + 1}-{head + 1}"}.get(
        export.picture, f"{kind}-{layer + 1}-{head + 1}"
    )
    name = f"{export.checkpoint.replace('/', '-')}-{place}"
    for form in forms:
        button(form, partial(Export.write, export, form), name, refusal=export.refusal(form))


def button(form: str, make: Callable[[], bytes], name: str, *, refusal: str = "", key: str = "export") -> None:
    """One button.

    Args:
        name: of the file, without its ending.
        key: of buttons that stand beside others of the page.
        refusal: why there is no such file; nothing where there is.
    """
    st.download_button(
        form,
        make,
        file_name=f"{name}.{form}",
        key=f"{key}-{form}",
        on_click="ignore",
        type="tertiary",
        disabled=bool(refusal),
        help=refusal or None,
    )
