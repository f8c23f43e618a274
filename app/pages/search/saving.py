"""Buttons that save a search."""

import json
from functools import partial

from headscope.analysis.search.comparison import compare_searches
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.tree import search_tree
from headscope.app.export import search as export
from headscope.app.export.paper import FIGURES
from headscope.app.export.tree_figure import refusal, tree_figure
from headscope.app.pages.search.lanes import Lane
from headscope.app.view import saving

DRAWN_AT_ONCE = 100
"""Candidates of a tree whose figure takes about half a second."""


def save(lane: Lane, first: Lane, pruned: bool, *, key: str = "export", width: bool = True) -> None:
    """A search as a file; it is made when its button is pressed.

    Args:
        key: of buttons that stand beside those of another search.
        width: how wide figures are can be chosen here.
    """
    record = lane.record
    if record is None or first.record is None:
        return
    free = None if lane is first else first.record
    name = f"{record.checkpoint.replace('/', '-')}-search-{lane.name}"
    with saving.row(key) as buttons:
        saving.label(f"Save the search {lane.title} as")
        buttons.button("json", lambda *, progress: _json(record, free), name)
        buttons.button("csv", lambda *, progress: export.csv(record), name)
        saving.label("its tree as")
        refused, drawn = refusal(record, pruned=pruned), len(search_tree(record.trace, pruned=pruned).nodes)
        for form in FIGURES:
            draw = partial(tree_figure, record, pruned=pruned, form=form, width=saving.chosen())
            buttons.button(form, draw, name, refusal=refused, long=drawn > DRAWN_AT_ONCE)
        if width:
            saving.width()


def _json(record: SearchRecord, free: SearchRecord | None) -> bytes:
    content = export.as_object(record)
    if free is not None:
        content["free"] = export.comparison_object(free, compare_searches(free.trace, record.trace))
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
