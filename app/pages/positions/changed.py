"""The sentence with changed positions: translation, log-probabilities and attention before and after."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from headscope.analysis.records.heads import Head, heads_of
from headscope.analysis.records.labels import labels
from headscope.app.components.compare.compare import COMPARE
from headscope.app.components.head_map.head_map import HEAD_MAP
from headscope.app.components.wall.wall import WALL, as_head
from headscope.app.export.files import Without
from headscope.app.view import controls, saving, session
from headscope.app.view.draw import draw, said
from headscope.app.view.frame import Picture
from headscope.app.view.positions_state import FURTHEST, PositionsView
from headscope.app.view.shown import with_special
from headscope.app.view.state import View
from headscope.app.view.wall_place import WallPlace
from headscope.app.view.working import long_work
from headscope.app.wire.axes import NAMES
from headscope.app.wire.compare import compare
from headscope.app.wire.head_map import head_map
from headscope.app.wire.shown import changed
from headscope.app.wire.wall import wall
from headscope.app.workbench import changed_positions
from headscope.app.workbench.changed_positions import WHOLE, Change
from headscope.model.card import Card
from headscope.model.config import ModelConfig
from headscope.model.sites import AttentionKind

if TYPE_CHECKING:
    from headscope.analysis.records.attention_maps import Tokens

HOW_LABELS = {
    "exchange": "Exchange two",
    "move": "Move one",
    "repeat": "Repeat one",
    "shift": "Shift one",
    "offset": "Shift all",
    "swap": "Another table",
}
SIDE_LABELS = {"source": "Source", "target": "Target", "both": "Both"}
OTHER_TOKEN = {"exchange": "exchanged with", "move": "moved to that of", "repeat": "stands where this stands too"}
LEAN = "lean to the places"
CALLED = ("As it is", "Changed")


def choices(config: ModelConfig, other: str | None) -> None:
    """What is done, on which side, and which heads are on the wall.

    Args:
        other: the checkpoint whose positions may stand in the place of the checkpoint's own.
    """
    how = session.view().positions.how
    with st.container(horizontal=True, vertical_alignment="bottom", key="changes"):
        controls.one_of("Positions", HOW_LABELS, "positions.how")
        sides = {side: name for side, name in SIDE_LABELS.items() if side != "both" or how in WHOLE}
        controls.one_of("Side", sides, "positions.sides")
        controls.kind(config)
        if how == "swap":
            names = [name for name in session.workbench().names if name != session.view().checkpoint]
            with st.container(width=260):
                control = session.control("positions.other", other if other in names else None)
                st.selectbox("Positions of", names, placeholder="Choose one", **control)


def change_of(state: PositionsView, other: str | None, tokens: "Tokens") -> Change:
    """What the view asks for, of tokens that there are."""
    token, to = (min(place, len(tokens) - 1) for place in (state.token, state.to))
    if state.how == "swap":
        return Change("swap", state.sides, other=other)
    if state.how in ("shift", "offset"):
        return Change(state.how, state.sides, token if state.how == "shift" else 0, by=state.by)
    return Change(state.how, state.sides, token, to)


def details(state: PositionsView, tokens: "Tokens") -> None:
    """Which tokens, or how far."""
    names = [f"{place} {label}" for place, label in enumerate(labels(tokens))]
    with st.container(horizontal=True, vertical_alignment="bottom", key="changed tokens"):
        if state.how not in WHOLE:
            _token("Position of", "token", state.token, names)
        if state.how in OTHER_TOKEN:
            _token(OTHER_TOKEN[state.how], "to", state.to, names)
        if state.how in ("shift", "offset"):
            with st.container(width=160):
                control = session.control("positions.by", state.by, clean=lambda value: int(value or 0))
                st.number_input("Positions further on", -FURTHEST, FURTHEST, step=1, **control)


def _token(label: str, field: str, place: int, names: list[str]) -> None:
    with st.container(width=220):
        control = session.control(f"positions.{field}", min(place, len(names) - 1))
        st.selectbox(label, range(len(names)), format_func=names.__getitem__, **control)


def show(picture: Picture, state: PositionsView, other: str | None) -> None:
    """All of it."""
    view, bench = session.view(), session.workbench()
    asked = replace(picture.sentence, target=None, cut=False)
    tokens = picture.maps.reads if state.sides == "target" else picture.maps.source
    if not view.present:
        details(state, tokens)
    change = change_of(state, other, tokens)
    st.text(described(change, tokens))
    work, compared = st.container(), st.container()
    place, below = WallPlace(("positions", asked, change, view.kind)), st.container()
    heads, current = heads_of(picture.card.config, view.kind), Head(view.kind, view.layer, view.head)
    with work:
        found = long_work(
            ("changed positions", asked, change),
            "Translates with other positions",
            lambda bar: changed_positions.changed(bench, asked, change, progress=bar),
            meanwhile=lambda: place.meanwhile(
                lambda: wall(with_special(picture.maps, view), view.kind, heads=heads, current=current)
            ),
        )
    if found is None:
        return
    with compared:
        draw(COMPARE, compare(found, CALLED))
    values = changed_positions.followed(found, change, view.kind)
    before, after = (with_special(maps, view) for maps in (found.maps_before, found.maps_after))
    difference = changed(after, before)
    message = wall(difference, view.kind, heads=heads, measure=LEAN if values else "", values=values, current=current)
    place.draw(message, on_chosen=choose)
    with below:
        st.text(verdict(view.kind, values, len(heads)))
        three_maps({CALLED[0]: before, CALLED[1]: after, "Difference": difference}, view, picture.card)
        how = f"as it is and with changed positions ({described(change, tokens)})"
        export = saving.wanted(
            before, replace(view, target=None), picture.card, "what-if", without=Without(after.maps, how, CALLED)
        )
        saving.figures("Save the three maps as", export)
        if view.target is not None:
            st.caption("This is the best translation, not the hypothesis that was chosen in the search.")


def described(change: Change, tokens: "Tokens") -> str:
    """What is done, in words."""
    names, sides = [str(label) for label in labels(tokens)], SIDE_LABELS[change.sides].lower()
    of = "both sides" if change.sides == "both" else f"the {sides}"
    first, second = (f"{names[place]} ({place})" for place in (change.token, change.to))
    match change.how:
        case "exchange":
            return f"{of.capitalize()}: {first} and {second} have each other's positions"
        case "move":
            return f"{of.capitalize()}: {first} stands at {change.to}, and those in between close up"
        case "repeat":
            return f"{of.capitalize()}: {first} stands at {change.to}, where {second} stands too"
        case "shift":
            return f"{of.capitalize()}: {first} stands at {change.token + change.by}"
        case "offset":
            return f"{of.capitalize()}: position 0 becomes {change.by}, and so on"
        case _:
            return f"{of.capitalize()}: positions of {change.other or 'another checkpoint'}"


def verdict(kind: AttentionKind, values: Mapping[Head, float], heads: int) -> str:
    """How many heads go which way."""
    if not values:
        return f"{NAMES[kind]}: of no head can it be told whether it follows place or word."
    places, words = (sum(sign * value > 0 for value in values.values()) for sign in (1, -1))
    return (
        f"{NAMES[kind]}: the new map is nearer to the places in {places} of {heads} heads, nearer to the words in "
        f"{words}."
    )


def choose() -> None:
    """Show the head that was clicked below the wall."""
    if head := as_head(session.view().kind, said(WALL, "chosen")):
        session.change(layer=head.layer, head=head.head)


def three_maps(shown: Mapping, view: View, card: Card) -> None:
    """One head's maps and their difference, by what they are called."""
    if not view.present:
        with st.container(horizontal=True):
            controls.place(card.config)
    with st.container(horizontal=True, key="maps"):
        for title, each in shown.items():
            with st.container():
                draw(HEAD_MAP, head_map(each, view.kind, view.layer, view.head, title=title), key=f"head_map {title}")
