"""All heads of one kind of attention, on one screen."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from headscope.analysis.measures.head_measures import head_measures
from headscope.analysis.records.heads import Head, heads_of
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.view import controls, saving, session
from headscope.app.view.draw import said
from headscope.app.view.frame import Frame, Picture, recorded
from headscope.app.view.measured import DEFINITIONS, NAMES
from headscope.app.view.shown import with_special
from headscope.app.view.state import REMOVAL, View, measures_of
from headscope.app.view.wall_place import WallPlace
from headscope.app.view.working import long_work
from headscope.app.wire.wall import wall
from headscope.app.workbench import sentences, studies
from headscope.model.config import ModelConfig

ORDER_LABELS = {"index": "Layer and head", "measure": "The measure"}


def choices(config: ModelConfig) -> None:
    """Kind of attention, measure, and order."""
    view = session.view()
    with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
        controls.kind(config)
        with st.container(width=180):
            st.selectbox(
                "Measure",
                measures_of(view.kind),
                format_func=NAMES.__getitem__,
                **session.control("measure", view.measure),
            )
        controls.one_of("Ordered by", ORDER_LABELS, "order")
        controls.quantity()


def measure(view: View) -> None:
    """What the numbers are; said where the page is presented, too."""
    st.markdown(f":small[:gray[{NAMES[view.measure]}: {DEFINITIONS[view.measure]}. {direction(view)}]]")


def direction(view: View) -> str:
    """In which order the heads stand."""
    if view.order == "index":
        return "Heads stand by layer and number."
    size = "change" if view.measure == REMOVAL else "value"
    return f"The head with the largest {size} stands first, that with the smallest last."


def measured(picture: Picture, view: View, meanwhile: Callable[[], None]) -> dict[Head, float]:
    """The measure of every head in view; of none, where the visitor has stopped the work."""
    if view.measure == REMOVAL:
        bench, asked = session.workbench(), picture.sentence
        found = long_work(
            ("importance", asked),
            "Takes every head away in turn",
            lambda bar: sentences.importance(bench, asked, progress=bar),
            meanwhile=meanwhile,
        )
        if found is None:
            return {}
        values = found.change
    else:
        found = head_measures(picture.maps)
        values = found.values[view.measure]
    return {head: value for head, value in zip(found.heads, values.tolist(), strict=True) if head.kind == view.kind}


def corpus_means(picture: Picture, view: View) -> dict[Head, float]:
    """The measure of every head over the corpus, where the checkpoint has a profile and the profile the measure."""
    profile = studies.profile(session.workbench(), picture.sentence.checkpoint)
    if profile is None or view.measure == REMOVAL:
        return {}
    return dict(zip(profile.heads, profile.mean[view.measure].tolist(), strict=True))


def ordered(heads: list[Head], values: dict[Head, float], view: View) -> list[Head]:
    """The heads as they are to stand; those without a value last."""
    if view.order == "index" or not values:
        return heads
    return sorted(heads, key=lambda head: (np.isnan(values[head]), -abs(values[head]), head))


def open_head() -> None:
    """Show the head that was clicked on its own page."""
    if head := as_head(session.view().kind, said(WALL, "chosen")):
        session.change(layer=head.layer, head=head.head)
        session.go_to("head")


frame = Frame(session.workbench())
st.title("Which heads matter?", anchor=False)
if frame.card:
    choices(frame.card.config)
measure(session.view())
with frame.picture() as picture:
    view = session.view()
    heads, shown = heads_of(picture.card.config, view.kind), with_special(recorded(picture, view), view)
    current = Head(view.kind, view.layer, view.head)
    work, place = st.container(), WallPlace(("overview", picture.sentence, view.kind))
    with work:
        unmeasured = partial(wall, shown, view.kind, heads=heads, current=current)
        values = measured(picture, view, lambda: place.meanwhile(unmeasured))
    message = wall(
        shown,
        view.kind,
        heads=ordered(heads, values, view),
        measure=NAMES[view.measure].lower(),
        values=values,
        means=corpus_means(picture, view),
        by_layer=view.order == "index" or not values,
        current=current,
    )
    place.draw(message, on_chosen=open_head)
    saving.figures("Save the wall as", saving.wanted(shown, view, picture.card, "wall"))
controls.how_to_read(
    "Each tile is the whole map of one head; click one to see it with its tokens and numbers. "
    "A diagonal is a head that walks along the sentence, a vertical stripe one that rests on a single token. "
    "What a head looks like says little about what depends on it: for that, choose *Change without it*.",
    source="Numbers are of this one sentence and of weights, whatever is drawn; pointing at a tile adds the mean over "
    "the corpus, in pieces. Arrow keys walk the tiles, Enter opens one.",
)
