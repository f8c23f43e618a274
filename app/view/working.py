"""Long work on a page: how far it is, and the way out of it.

Streamlit ends a run of the script at its next `st` call once the visitor has done something. A `Progress` that draws is
such a call. So whatever the visitor does cancels the work; the button is for who wants nothing else.
"""

import time
from collections.abc import Callable, Hashable
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from headscope.model.progress import Progress

R = TypeVar("R")

STOPPED = "stopped"
"""Key of the session's state: the question whose work the visitor has stopped."""
DELAY = 0.3
EVERY = 0.1
"""Seconds until a bar is shown, and between its changes."""


def long_work(
    question: Hashable,
    label: str,
    compute: Callable[[Progress], R],
    *,
    meanwhile: Callable[[], None] = lambda: None,
) -> R | None:
    """The result of some work; None: the visitor has stopped it, which is said, and may start it again.

    Args:
        question: what the work answers; another question is worked on at once.
        label: what is done, for the bar; another one for every work of a page.
        meanwhile: called once when the bar is drawn, to show what there is until the result is.
    """
    if st.session_state.get(STOPPED) == question:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{label}: stopped.", width="content")
            st.button("Start again", key=f"again {label}", on_click=lambda: st.session_state.pop(STOPPED))
        return None
    place = st.empty()
    try:
        result = compute(_Bar(place, question, label, meanwhile))
    except Exception:
        place.empty()
        raise
    place.empty()
    return result


class _Bar:
    """A bar with a count and a button, drawn when the work turns out to take its time."""

    def __init__(self, place: DeltaGenerator, question: Hashable, label: str, meanwhile: Callable[[], None]) -> None:
        self._place, self._question, self._label, self._meanwhile = place, question, label, meanwhile
        self._next = time.monotonic() + DELAY
        self._bar: DeltaGenerator | None = None

    def update(self, done: int, total: int | None) -> None:
        """Draw it anew, unless that was done just now."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + EVERY
        bar = self._bar = self._bar or self._begin()
        count = "waits for other work" if total is None else f"{done:,} of {total:,}"
        bar.progress(done / total if total else 0.0, f"{self._label}: {count}")

    def _begin(self) -> DeltaGenerator:
        with self._place.container(horizontal=True, vertical_alignment="center"):
            bar = st.empty()
            st.button("Cancel", key=f"cancel {self._label}", on_click=self._stop)
        self._meanwhile()
        return bar

    def _stop(self) -> None:
        st.session_state[STOPPED] = self._question
