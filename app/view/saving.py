"""Buttons that save what a page shows; a file is made when its button is pressed, with a bar where that takes long."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol, get_args

import streamlit as st

from headscope.analysis.records.heads import Head
from headscope.app.export.files import FIGURES, FORMS, Export, Picture, Without
from headscope.app.export.paper import WIDTHS, WidthName
from headscope.app.view import session
from headscope.app.view.sidebar import SPECIAL_LABELS
from headscope.app.view.state import View, to_query
from headscope.app.view.working import STOPPED, long_work
from headscope.app.wire.shown import Shown
from headscope.model.card import Card
from headscope.model.progress import Progress, Silent
from headscope.model.search.settings import searched

WIDTH_LABELS: Mapping[WidthName, str] = {"column": "one column", "page": "two columns", "slide": "a slide"}
ASKED, MADE = "file asked for", "file made"
"""Keys of the session's state: which file that takes its time is asked for, and the one that is made."""


class Make(Protocol):
    """What makes a file."""

    def __call__(self, *, progress: Progress) -> bytes:
        """The file; Cancelled: `progress` wants it to stop."""
        ...


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
    with row() as buttons:
        label("Save all heads as")
        _buttons(buttons, export, [form for form in FORMS if form not in FIGURES])
        label("this head as")
        _buttons(buttons, export, FIGURES)
        width()


def figures(title: str, export: Export) -> None:
    """The figure of what is shown; nothing where the page is presented."""
    if session.view().present:
        return
    with row() as buttons:
        label(title)
        _buttons(buttons, export, FIGURES)
        width()


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file that takes its time, and that the visitor has asked for."""

    question: Hashable
    """What it answers: another view, name or width is another file."""
    form: str
    make: Make
    file: str
    """Its name."""


class Row:
    """Buttons side by side."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.wanted: Wanted | None = None

    def button(self, form: str, make: Make, name: str, *, refusal: str = "", long: bool = False) -> None:
        """One button.

        Args:
            name: of the file, without its ending.
            refusal: why there is no such file; nothing where there is.
            long: the file takes its time. It is made with a bar below the row, and can then be saved.
        """
        look = {"key": f"{self.key}-{form}", "type": "tertiary", "disabled": bool(refusal), "help": refusal or None}
        file = f"{name}.{form}"
        if not long:
            st.download_button(form, partial(make, progress=Silent()), file_name=file, on_click="ignore", **look)
            return
        question = ("file", file, chosen(), *sorted(to_query(session.view()).items()))
        st.button(form, on_click=partial(_ask, question), **look)
        if st.session_state.get(ASKED) == question:
            self.wanted = Wanted(question, form, make, file)


@contextmanager
def row(key: str = "export") -> Iterator[Row]:
    """Where buttons stand; below them a file that takes its time is made.

    Args:
        key: of buttons that stand beside others of the page.
    """
    found = Row(key)
    with st.container(horizontal=True, vertical_alignment="center", key=key):
        yield found
    if found.wanted:
        _make(found.wanted, key)


def _ask(question: Hashable) -> None:
    st.session_state[ASKED] = question
    st.session_state.pop(MADE, None)
    st.session_state.pop(STOPPED, None)


def _make(wanted: Wanted, key: str) -> None:
    """The file, which is kept as long as what it shows is in view."""
    made = st.session_state.get(MADE)
    if made is None or made[0] != wanted.question:
        label = f"Writes the {wanted.form}"
        content = long_work(wanted.question, label, lambda bar: wanted.make(progress=bar))
        if content is None:
            return
        made = st.session_state[MADE] = (wanted.question, content)
    size = f"{len(made[1]) / 1e6:,.1f} MB"
    st.download_button(
        f"Save {wanted.file} ({size})", made[1], file_name=wanted.file, key=f"{key}-made", on_click="ignore"
    )


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


def _buttons(buttons: Row, export: Export, forms: Sequence[str]) -> None:
    kind, layer, head = export.head
    place = {"wall": kind, "what-if": f"without-{kind}-{layer + 1}-{head + 1}"}.get(
        export.picture, f"{kind}-{layer + 1}-{head + 1}"
    )
    name = f"{export.checkpoint.replace('/', '-')}-{place}"
    for form in forms:
        make = partial(Export.write, export, form)
        buttons.button(form, make, name, refusal=export.refusal(form), long=export.takes_long(form))
