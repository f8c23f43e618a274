"""Buttons that save a search."""

import json
from functools import partial

import streamlit as st

from headscope.analysis.search.comparison import compare_searches
from headscope.analysis.search.record import SearchRecord
from headscope.app.export import search as export
from headscope.app.export.search_figure import svg
from headscope.app.pages.search.lanes import Lane


def save(lane: Lane, first: Lane, pruned: bool) -> None:
    """The search that is selected, as a file; it is made when its button is pressed."""
    record = lane.record
    if record is None or first.record is None:
        return
    free = None if lane is first else first.record
    forms = {
        "json": partial(_json, record, free),
        "csv": partial(export.csv, record),
        "svg": partial(svg, record, pruned=pruned),
    }
    name = f"{record.checkpoint.replace('/', '-')}-search-{lane.name}"
    with st.container(horizontal=True, vertical_alignment="center", key="export"):
        st.markdown(f":small[:gray[Save the search {lane.title} as]]", width="content")
        for form, make in forms.items():
            st.download_button(
                form, make, file_name=f"{name}.{form}", key=f"export-{form}", on_click="ignore", type="tertiary"
            )


def _json(record: SearchRecord, free: SearchRecord | None) -> bytes:
    content = export.as_object(record)
    if free is not None:
        content["free"] = export.comparison_object(free, compare_searches(free.trace, record.trace))
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
