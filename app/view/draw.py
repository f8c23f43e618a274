"""Components on the page: the one place where Streamlit meets them."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import streamlit as st
from streamlit.components.v2 import component as register

from headscope.app.components.component import Component
from headscope.app.wire.encoding import as_message

M = TypeVar("M")


def draw(component: Component[M], message: M, *, key: str | None = None, **on: Callable[[], None]) -> None:
    """Draw a component.

    Args:
        key: where it stands more than once on a page; its name else.
        on: `on_chosen`, say: called before the next run when the visitor has chosen something; `said` tells what.
    """
    callbacks = {f"{name}_change": callback for name, callback in on.items()}
    _registered(component)(key=key or component.name, data=as_message(message), **callbacks)


def said(component: Component[Any], name: str, *, key: str | None = None) -> object:
    """What the browser has just sent under a name: to be checked, for it may be anything. None: nothing.

    Args:
        key: as `draw` was given it.
    """
    return st.session_state[key or component.name].get(name)


@cache
def _registered(component: Component[Any]) -> Callable[..., Any]:
    return register(f"headscope_{component.name}", html=component.html, css=component.css, js=component.js)
