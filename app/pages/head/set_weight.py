"""One weight that the visitor sets on the map of a head, and what becomes of the translation."""

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from headscope.analysis.records.heads import Cell, Head
from headscope.app.components.head_map.head_map import HEAD_MAP, as_set
from headscope.app.view import session
from headscope.app.view.draw import said
from headscope.app.view.frame import Picture
from headscope.app.view.head_state import SetWeight
from headscope.app.view.state import View
from headscope.app.view.working import long_work
from headscope.app.wire.encoding import number
from headscope.app.wire.head_map import SetCell
from headscope.app.workbench import sentences

if TYPE_CHECKING:
    from headscope.analysis.interventions.effects import WhatIf


def set_weight() -> None:
    """Set the weight that was chosen on the map."""
    view = session.view()
    if found := as_set(said(HEAD_MAP, "set")):
        row, column, weight = found
        given = SetWeight(Cell(Head(view.kind, view.layer, view.head), row, column), weight)
        session.change(detail=replace(view.detail, set=given))


def reset() -> None:
    """Leave all weights as they are."""
    session.change(detail=session.view().detail.anew())


def with_set_weight(picture: Picture, view: View) -> "WhatIf | None":
    """What becomes of the sentence with the weight that is set; None where none is, or the visitor stopped the work."""
    given = view.detail.set
    if given is None:
        return None
    said = f"One weight is changed: {given}. "
    with st.container(horizontal=True, vertical_alignment="center", key="set"):
        place = st.empty()
        place.text(said, width="content")
        if not view.present:
            st.button("Reset", on_click=reset)
    if view.target is not None:
        st.caption("It is set in the best translation, not in a hypothesis that was chosen in the search.")
        return None
    bench, asked = session.workbench(), picture.sentence
    found = long_work(
        ("weight", asked, given),
        "Translates with this weight",
        lambda bar: sentences.with_weight(bench, asked, given.cell, given.weight, progress=bar),
    )
    if found is not None:
        was, now = (number(float(side.sum(dtype=float))) for side in (found.effect.before, found.effect.after))
        again = "finds it again" if found.before.text == found.after.text else "finds another one"
        place.text(f"{said}The translation: log p {was} → {now} nats; the search {again}.", width="content")
    return found


def set_cell(found: "WhatIf | None", view: View) -> SetCell | None:
    """The cell that is set, where it is one of the map in view."""
    given = view.detail.set
    if found is None or given is None or view.unit == "words" or given.cell.head != (view.kind, view.layer, view.head):
        return None
    before = found.maps_before.layers(view.kind)[view.layer][view.head, given.cell.query, given.cell.key]
    return SetCell(given.cell.query, given.cell.key, float(before))
