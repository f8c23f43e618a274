"""Tables of text that comes from files, and how often each position occurred in training."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamlit.components.v2 import component

from headscope.app.components.assets import script, text
from headscope.app.wire.encoding import checked

_component = component("headscope_sheet", html=text("sheet.html"), css=text("sheet.css"), js=script("sheet.js"))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a title; the first cell of a row names it."""

    title: str
    heads: Sequence[str]
    """What the columns are; none: names and values."""
    rows: Sequence[Sequence[str]]
    otherwise: str = ""
    """What stands there without any row."""


def sheet(tables: Sequence[Table], *, positions: Mapping[str, Sequence[int]] | None = None, key: str) -> None:
    """Draw tables and, under them, a picture of positions.

    Args:
        positions: how often each occurred in training, for source and target.
    """
    _component(key=key, data=checked(payload(tables, positions or {})))


def payload(tables: Sequence[Table], positions: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """What the component is given."""
    return {
        "tables": [
            {
                "title": table.title,
                "heads": list(table.heads),
                "rows": [list(row) for row in table.rows],
                "otherwise": table.otherwise,
            }
            for table in tables
        ],
        "positions": [{"side": side, "counts": list(counts)} for side, counts in positions.items() if counts],
    }
