"""All heads of one kind of attention, on one screen."""

import numpy as np
import streamlit as st

from analysis.heads import Head
from analysis.measures import MEASURES, head_measures
from app import controls, session
from app.components.wall import chosen, wall
from app.frame import Frame, Picture
from app.state import REMOVAL, View, measures_of

NAMES = {name: name.replace("_", " ").capitalize() for name in MEASURES} | {REMOVAL: "Change without it"}
DEFINITIONS = {
    **MEASURES,
    REMOVAL: "change of the translation's log-probability when the head puts out nothing, in nats; ordered by size",
}
ORDER_LABELS = {"index": "Layer and head", "measure": "The measure"}


def choices() -> None:
    """Kind of attention, measure, and order."""
    view = session.view()
    with st.container(horizontal=True):
        controls.kind()
        with st.container(width=220):
            st.selectbox(
                "Measure",
                measures_of(view.kind),
                format_func=NAMES.__getitem__,
                **session.control("measure", view.measure),
            )
        controls.one_of("Ordered by", ORDER_LABELS, "order")
    st.markdown(f":small[:gray[{NAMES[view.measure]}: {DEFINITIONS[view.measure]}]]")


def measured(picture: Picture, view: View) -> dict[Head, float]:
    """The measure of every head in view."""
    if view.measure == REMOVAL:
        with st.spinner("Takes every head away in turn…"):
            found = session.workbench().importance(picture.sentence)
        values = found.change
    else:
        found = head_measures(picture.maps)
        values = found.values[view.measure]
    return {head: value for head, value in zip(found.heads, values.tolist(), strict=True) if head.kind == view.kind}


def ordered(values: dict[Head, float], view: View) -> list[Head]:
    """The heads as they are to stand; those without a value last."""
    if view.order == "index":
        return sorted(values)
    return sorted(values, key=lambda head: (np.isnan(values[head]), -abs(values[head]), head))


def open_head() -> None:
    """Show the head that was clicked on its own page."""
    if head := chosen(session.view().kind):
        session.change(layer=head.layer, head=head.head)
        session.go_to("head")


frame = Frame(session.workbench())
st.title("Which heads matter?", anchor=False)
if frame.card:
    choices()
with frame.picture() as picture:
    view = session.view()
    values = measured(picture, view)
    wall(
        picture.maps,
        view.kind,
        heads=ordered(values, view),
        measure=NAMES[view.measure].lower(),
        values=values,
        by_layer=view.order == "index",
        current=Head(view.kind, view.layer, view.head),
        on_choose=open_head,
    )
controls.how_to_read(
    "Each tile is the whole map of one head; click one to see it with its tokens and numbers. "
    "A diagonal is a head that walks along the sentence, a vertical stripe one that rests on a single token. "
    "What a head looks like says little about what depends on it: for that, choose *Change without it*.",
    source="The numbers are of this one sentence. Arrow keys walk the tiles, Enter opens one.",
)
