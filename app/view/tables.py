"""Small tables of numbers on the page: as text, which is there at once and can be read out, and no grid to work in."""

import re

import pandas as pd
import streamlit as st

ACTIVE = re.compile(r"[\\`*_\[\]<>$~#|:&]")
"""What Streamlit would read as Markdown in a cell."""


def small_table(frame: pd.DataFrame, *, alt: str) -> None:
    """Draw a table of some dozen rows without its index.

    Args:
        alt: what it holds, for who does not see it.
    """
    plain = frame.rename(columns=_plain).apply(lambda column: column.map(_plain))
    st.table(plain, border="horizontal", hide_index=True, alt=alt)


def _plain(value: object) -> str:
    if value is None or value != value:
        return ""
    return ACTIVE.sub(lambda found: f"\\{found.group()}", f"{value:,}" if isinstance(value, int) else str(value))
