"""Keys of the whole page, instead of controls."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from headscope.app.components.assets import script, text
from headscope.app.wire.encoding import checked

_component = component("headscope_keys", html=text("keys.html"), css=text("keys.css"), js=script("keys.js"))
KEY, TURN = "keys", "keys turn"
LEAVE = "Escape"


def keys(handled: Sequence[str], hints: Sequence[str], *, on_press: Callable[[], None]) -> None:
    """Listen, and say in a line below the page which keys there are; `?` hides that line.

    Args:
        handled: names of keys as browsers give them, "Shift+" before those that are pressed with it.
        on_press: called before the next run when some were pressed; `pressed` says which.
    """
    # The browser sends what is pressed next when it hears that this turn is over.
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    _component(key=KEY, data=checked(payload(handled, hints, st.session_state[TURN])), on_pressed_change=on_press)


def payload(handled: Sequence[str], hints: Sequence[str], turn: int) -> dict[str, Any]:
    """What the component is given."""
    return {"handled": [*handled, LEAVE], "leave": LEAVE, "hints": list(hints), "turn": turn}


def pressed() -> list[str]:
    """The keys that were pressed, in order."""
    return as_keys(st.session_state[KEY].get("pressed"))


def as_keys(value: object) -> list[str]:
    """What a browser sent, as names of keys; whatever else there is is left out."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
