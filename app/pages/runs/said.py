"""What came of a click: done in a callback, said by the next run of the script."""

from collections.abc import Callable

import streamlit as st

from headscope.app.view import session
from headscope.model.errors import HeadscopeError

SAID = "runs-said"
"""Key of the session's state: what is to be said, and whether it went well."""


def do(act: Callable[[], str]) -> None:
    """Do something in a callback, and keep what came of it for the next look: an error too."""
    try:
        st.session_state[SAID] = (act(), True)
    except HeadscopeError as error:
        st.session_state[SAID] = (sentence(error.on_pages), False)


def told() -> None:
    """What came of the last click, once."""
    if said := st.session_state.pop(SAID, None):
        text, good = said
        with st.container(border=True, key="runs-told"):
            if not good:
                st.markdown(":material/error: **Nothing was done**")
            st.text(text)


def sentence(text: str) -> str:
    """What is wrong, as a sentence that tells visitors nothing of where the server's folders lie."""
    text = session.training().for_visitors(" ".join(text.split()))
    return f"{text[:1].upper()}{text[1:]}."
