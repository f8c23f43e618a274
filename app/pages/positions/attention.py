"""The attention of two checkpoints in the sentence: every head's difference, and both maps of one."""

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from headscope.analysis.records.difference import at_heads, common_places, difference, weight_elsewhere
from headscope.analysis.records.heads import Head
from headscope.app.export.files import Without
from headscope.app.pages.positions import together
from headscope.app.pages.positions.changed import choose, three_maps
from headscope.app.view import controls, saving, session
from headscope.app.view.frame import Picture, problem
from headscope.app.view.positions_state import PositionsView
from headscope.app.view.shown import with_special
from headscope.app.view.wall_place import WallPlace
from headscope.app.wire.axes import NAMES
from headscope.app.wire.shown import changed
from headscope.app.wire.wall import wall
from headscope.app.workbench import positions
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.records.difference import Common

MATCH_LABELS = {"place": "Same place", "within": "Matched, same layer", "across": "Matched, any layer"}
ELSEWHERE = "share of a row's weight that lies elsewhere"


def choices() -> None:
    """Which head of the second checkpoint stands beside one of the first."""
    controls.one_of("Head of the second", MATCH_LABELS, "positions.match")


def show(picture: Picture, state: PositionsView, second: str | None) -> None:
    """All of it."""
    if second is None:
        return
    try:
        _show(picture, state, second)
    except HeadscopeError as error:
        problem(error)


def _show(picture: Picture, state: PositionsView, second: str) -> None:
    view, bench, first = session.view(), session.workbench(), picture.sentence.checkpoint
    found = positions.attention_of_both(bench, picture.sentence, second)
    places = _places(found, state, first, second)
    if not places:
        return
    st.text(_said(found, first, second, len(places)))
    one, two = at_heads(found.first, {place: place for place in places}), at_heads(found.second, places)
    current = Head(view.kind, view.layer, view.head)
    if current not in places:
        st.text(f"{current} has no head beside it in {second}: another one is shown.")
        current = next(iter(places))
    shown = [with_special(maps, view) for maps in (one, two)]
    change = changed(*shown)
    values = weight_elsewhere(difference(one, two))
    message = wall(change, view.kind, heads=list(places), measure=ELSEWHERE, values=values, current=current)
    WallPlace(("attention", picture.sentence, second, view.kind, state.match)).draw(message, on_chosen=choose)
    names = f"{first}: {current}", f"{second}: {places[current]}"
    panels = dict(zip((*names, "Difference"), (*shown, change), strict=True))
    drawn = replace(view, layer=current.layer, head=current.head)
    three_maps(panels, drawn, picture.card)
    how = Without(
        shown[0].maps, f"of {second} and of {first}, and how much more {first} looks there", (names[1], names[0])
    )
    saving.figures("Save the three maps as", saving.wanted(shown[1], drawn, picture.card, "what-if", without=how))


def _places(found: "Common", state: PositionsView, first: str, second: str) -> dict[Head, Head]:
    """Which head of the second stands beside each of the first, of the kind in view; nothing where none is known, which
    is then said."""
    kind = session.view().kind
    if state.match == "place":
        places = {place: head for place, head in common_places(found.first, found.second).items() if place.kind == kind}
        if not places:
            st.text(f"{NAMES[kind]}: one of the two has no such heads.")
        return places
    both = together.found(first, second)
    if both is None:
        return {}
    comparison = both.measured.value
    if comparison.unmatched:
        st.text(f"No heads are matched: {comparison.unmatched}.")
    across = state.match == "across"
    of_kind = (each for each in comparison.matchings if each.kind == kind and each.across == across)
    return {match.a: match.b for each in of_kind for match in each.matches}


def _said(found: "Common", first: str, second: str, heads: int) -> str:
    """What both read, and on which tokens they are compared."""
    own, theirs = (float(maps.log_probs.sum(dtype=float)) for maps in (found.first, found.second))
    said = (
        f"Both read what {first} has written: log p {own:.2f} nats by {first}, {theirs:.2f} by {second}. "
        f"{heads} heads stand in both."
    ).replace("-", "−")
    if found.unit == "words":
        said += " The two cut the text into other pieces, so words are compared: keys summed, rows averaged."
    return said
