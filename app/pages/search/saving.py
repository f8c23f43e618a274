"""Buttons that save a search."""

import json
from functools import partial

from headscope.analysis.search.comparison import compare_searches
from headscope.analysis.search.record import SearchRecord
from headscope.app.export import search as export
from headscope.app.export.paper import FIGURES
from headscope.app.export.tree_figure import refusal, tree_figure
from headscope.app.pages.search.lanes import Lane
from headscope.app.view import saving


def save(lane: Lane, first: Lane, pruned: bool) -> None:
    """The search that is selected, as a file; it is made when its button is pressed."""
    record = lane.record
    if record is None or first.record is None:
        return
    free = None if lane is first else first.record
    name = f"{record.checkpoint.replace('/', '-')}-search-{lane.name}"
    with saving.row():
        saving.label(f"Save the search {lane.title} as")
        saving.button("json", partial(_json, record, free), name)
        saving.button("csv", partial(export.csv, record), name)
        saving.label("its tree as")
        refused = refusal(record, pruned=pruned)
        for form in FIGURES:
            draw = partial(tree_figure, record, pruned=pruned, form=form, width=saving.chosen())
            saving.button(form, draw, name, refusal=refused)
        saving.width()


def _json(record: SearchRecord, free: SearchRecord | None) -> bytes:
    content = export.as_object(record)
    if free is not None:
        content["free"] = export.comparison_object(free, compare_searches(free.trace, record.trace))
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
