"""The attention with which the selected candidate was predicted, and the way to all of its hypothesis."""

from dataclasses import replace

import streamlit as st

from headscope.app.components.attend.attend import ATTEND
from headscope.app.pages.search.lanes import Chosen
from headscope.app.view import session
from headscope.app.view.draw import draw
from headscope.app.wire.attend import attend
from headscope.app.wire.strip import Pin
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.model.card import Card
from headscope.model.sites import heads_at, layers_of


def attention(sentence: Sentence, chosen: Chosen, card: Card) -> None:
    """Draw it for the layer and head in view: from one teacher-forced pass over what its hypothesis has read."""
    view, layers = session.view(), len(layers_of(card.config, "cross"))
    card.config.capabilities().require_kind("cross")
    layer = min(view.layer, layers - 1)
    heads = heads_at(card.config, "cross", layer)
    head = min(view.head, heads - 1)
    record = chosen.lane.record
    assert record is not None, "a candidate of a search that was not made"
    # What is predicted has no part in how; so the candidates of one hypothesis share the record in which it ends.
    maps = sentences.read(session.workbench(), replace(sentence, target=(*chosen.path[:-1], record.end))).maps
    given = {"target": chosen.path, "cut": chosen.path[-1] != record.end, "pin": Pin("output", chosen.place.step)}

    def follow() -> None:
        session.change(**given, kind="cross", layer=layer, head=head)
        session.go_to("head")

    def explain() -> None:
        session.change(**given)
        session.go_to("why")

    if not view.present:
        with st.container(horizontal=True, vertical_alignment="bottom", key="attention"):
            choice("Layer", layers, "layer", layer)
            choice("Head", heads, "head", head)
            st.button("Open this hypothesis in the attention browser", on_click=follow)
            st.button("Why this piece?", on_click=explain)
    draw(ATTEND, attend(maps, chosen.place, layer, head, record.label(chosen.candidate.piece)))


def choice(label: str, count: int, field: str, value: int) -> None:
    """A layer or a head of the decoder, whatever kind of attention other pages show."""
    st.segmented_control(
        f"{label} of {count}",
        range(count),
        required=True,
        format_func=lambda index: str(index + 1),
        **session.control(field, value),
    )
