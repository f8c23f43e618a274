"""Below the picture: what every head did for the chosen token, or what the decoder would say after every layer."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from headscope.analysis.records.heads import Head, heads_of
from headscope.analysis.records.labels import visible
from headscope.analysis.records.words import grouped
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.pages.why.contributions import contributions
from headscope.app.pages.why.patched import patched
from headscope.app.pages.why.trust import trust
from headscope.app.view import controls, session
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import Picture
from headscope.app.view.shown import with_special
from headscope.app.view.state import View
from headscope.app.view.why_state import HEAD
from headscope.app.view.working import long_work
from headscope.app.wire.axes import KIND_LABELS
from headscope.app.wire.encoding import number
from headscope.app.wire.wall import wall
from headscope.app.workbench import attributions, sentences

LABELS = {
    "nothing": "Nothing",
    "heads": "Every head",
    "layers": "Every layer",
    "contributions": "Contributions",
    "patching": "Patching",
    "faithfulness": "Faithfulness",
}
MOST_HEADS = 8


def chosen_rows(picture: Picture, view: View, row: int) -> Sequence[int]:
    """The pieces of the chosen token."""
    if view.unit == "pieces":
        return [row]
    pieces = sentences.read(session.workbench(), picture.sentence).maps.predicts
    groups = grouped(pieces).groups
    return groups[min(row, len(groups) - 1)]


def below(picture: Picture, view: View, rows: Sequence[int], method: str) -> None:
    """Draw what the visitor wants to see there."""
    if not view.present:
        controls.one_of("Below", LABELS, "why.below")
    if view.why.below == "heads":
        _heads(picture, view, rows)
    elif view.why.below == "layers":
        _layers(picture, rows)
    elif view.why.below == "contributions":
        contributions(picture, view)
    elif view.why.below == "patching":
        patched(picture, view)
    elif view.why.below == "faithfulness":
        trust(picture, method)


def _heads(picture: Picture, view: View, rows: Sequence[int]) -> None:
    bench, asked = session.workbench(), picture.sentence
    found = long_work(
        ("by head", asked),
        "Takes every head away in turn",
        lambda bar: attributions.by_head(bench, asked, progress=bar),
    )
    if found is None:
        return
    if not view.present and view.why.beside != HEAD:
        controls.kind(picture.card.config)
    slopes, lost = (array[:, list(rows)].sum(-1) for array in (found.attention_x_gradient, found.removal))
    values = dict(zip(found.heads, slopes.tolist(), strict=True))
    heads = sorted(heads_of(picture.card.config, view.kind), key=lambda head: (-abs(values[head]), head))
    message = wall(
        with_special(picture.maps, view),
        view.kind,
        heads=heads,
        measure="attention × gradient for this token",
        values={head: values[head] for head in heads},
        by_layer=False,
        current=Head(view.kind, view.layer, view.head),
    )
    draw(WALL, message, on_chosen=_open)
    order = np.argsort(-np.abs(slopes), kind="stable")[:MOST_HEADS]
    table = [
        "| Head | Attention × gradient | Lost without it |",
        "| --- | ---: | ---: |",
        *(f"| {_called(found.heads[at])} | {number(float(slopes[at]))} | {number(float(lost[at]))} |" for at in order),
    ]
    with st.container(width=640):
        st.markdown("\n".join(table))
        st.caption(
            f"The {len(order)} heads of all kinds with the largest attention × gradient, for the token's "
            "log-probability, in nats: weight times gradient, summed over the head's map, and what is lost when "
            "the head puts out nothing. The first is the second to first order."
        )


def _layers(picture: Picture, rows: Sequence[int]) -> None:
    found = attributions.lens(session.workbench(), picture.sentence)
    for row in rows:
        columns = {
            "After layer": [str(layer + 1) for layer in range(len(found.actual))],
            "Would say": [visible(str(piece)) for piece in found.pieces[:, row, 0]],
            "Probability": [number(float(share)) for share in found.probabilities[:, row, 0]],
            "Of what was said": [number(float(share)) for share in found.actual[:, row]],
            "Its rank": [str(rank) for rank in found.rank[:, row].tolist()],
        }
        st.dataframe(columns, hide_index=True, width=640, alt="What the decoder would say after each layer")
    st.caption(
        "Logit lens: the output of each decoder layer goes straight to the output projection; the last is the model."
    )


def _called(head: Head) -> str:
    return f"{KIND_LABELS[head.kind]} {head.layer + 1}.{head.head + 1}"


def _open() -> None:
    if head := as_head(session.view().kind, said(WALL, "chosen")):
        session.change(layer=head.layer, head=head.head)
        session.go_to("head")
