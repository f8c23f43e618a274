"""Records as a View shows them: pieces or words, start and end symbols shown or hidden."""

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.special_tokens import hide_special, renormalised
from headscope.analysis.records.words import words
from headscope.app.view.state import KINDS, View
from headscope.app.wire.shown import Shown


def united(maps: AttentionMaps, view: View) -> AttentionMaps:
    """The record in the view's tokens, with nothing hidden: what measures are taken from."""
    return words(maps) if view.unit == "words" else maps


def with_special(maps: AttentionMaps, view: View) -> Shown:
    """The record with start and end symbols as the view wants them."""
    if view.special == "shown":
        return Shown(maps, None, view.scale)
    found = hide_special(maps)
    if view.special == "renormalised":
        found = renormalised(found)
    return Shown(found.maps, {kind: found.mass(kind) for kind in KINDS}, view.scale)
