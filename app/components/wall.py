"""The wall: every head of one kind of attention as a small map, to be opened or taken away."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components.v2 import component

from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import labels
from headscope.analysis.records.pooling import pooled
from headscope.app.components.assets import script, text
from headscope.app.components.head_map import axes
from headscope.app.view.shown import Shown
from headscope.app.wire.encoding import checked, mosaic, number, tokens, weights
from headscope.app.wire.long import block_of
from headscope.model.network.sites import AttentionKind

_component = component("headscope_wall", html=text("wall.html"), css=text("wall.css"), js=script("wall.js"))
KEY = "wall"


def wall(
    shown: Shown,
    kind: AttentionKind,
    *,
    heads: Sequence[Head],
    measure: str,
    values: Mapping[Head, float],
    on_choose: Callable[[], None],
    means: Mapping[Head, float] | None = None,
    by_layer: bool = True,
    current: Head | None = None,
    off: Sequence[Head] | None = None,
) -> None:
    """Draw it.

    Args:
        heads: all of that kind, in the order in which they are to stand.
        measure: what `values` are, in words; a value that is missing or NaN is not written.
        on_choose: called before the next run when the visitor chooses a tile; `chosen` says which.
        means: of the measure over a corpus.
        by_layer: one row of tiles a layer, named.
        current: the head that other pages show.
        off: heads that are taken away; given, tiles are switches.
    """
    data = payload(
        shown,
        kind,
        heads=heads,
        measure=measure,
        values=values,
        by_layer=by_layer,
        current=current,
        off=off,
        means=means or {},
    )
    _component(key=KEY, data=checked(data), on_chosen_change=on_choose)


def payload(
    shown: Shown,
    kind: AttentionKind,
    *,
    heads: Sequence[Head],
    measure: str,
    values: Mapping[Head, float],
    by_layer: bool,
    current: Head | None,
    off: Sequence[Head] | None,
    means: Mapping[Head, float] = MappingProxyType({}),
) -> dict[str, Any]:
    """What the component is given."""
    maps, layers = shown.maps, shown.maps.layers(kind)
    hidden = None if shown.hidden is None else np.concatenate(shown.hidden[kind])
    most = shown.most(kind, *range(len(layers)))
    rows, columns = layers[0].shape[1:]
    block = block_of(rows, columns)
    tiles = np.concatenate([pooled(layer, block) for layer in layers])
    places = {head: place for place, head in enumerate(sorted(heads))}

    def tile(head: Head) -> dict[str, Any]:
        value, mean = values.get(head, np.nan), means.get(head, np.nan)
        name = f"Layer {head.layer + 1}, head {head.head + 1}"
        if not np.isnan(value):
            name += f": {measure} {number(value)}" + ("" if np.isnan(mean) else f", corpus mean {number(mean)}")
        return {
            "layer": head.layer,
            "head": head.head,
            "place": places[head],
            "value": None if np.isnan(value) else float(f"{value:.4g}"),
            "name": name,
            "current": head == current,
        }

    tiled = [tile(head) for head in heads]
    names = [f"Layer {layer + 1}" for layer in range(len(layers))] if by_layer else [""]
    groups = [
        {"name": name, "tiles": [tile for tile in tiled if not by_layer or tile["layer"] == layer]}
        for layer, name in enumerate(names)
    ]
    key = "Each tile is one head, named layer.head; a row is a token that looks, a column one that is looked at."
    if block > 1:
        key += f" The sentence is long: each cell is the largest of {block} × {block} {maps.quantity}s."
    if hidden is not None:
        key += " Start and end symbols are hidden."
    return {
        "signature": f"{maps.fingerprint} {kind} {shown.scale}",
        "layout": f"{maps.fingerprint} {kind} {measure} {[tile['place'] for tile in tiled]} {current} {off is None}",
        "kind": kind,
        "layers": groups,
        "rows": tiles.shape[1],
        "columns": tiles.shape[2],
        "tokens": {"rows": rows, "columns": columns},
        "labels": {"rows": axes(maps, kind)["rows"], "columns": tokens(labels(maps.keys(kind)))},
        "block": block,
        "quantity": maps.quantity,
        "most": most,
        "maps": mosaic(tiles / most if most else tiles),
        "hidden": None if hidden is None else weights(hidden),
        "key": key,
        "toggles": off is not None,
        "off": [places[head] for head in off or () if head in places],
    }


def chosen(kind: AttentionKind) -> Head | None:
    """The head the visitor has chosen just now; None where what came from the browser is none."""
    return as_head(kind, st.session_state[KEY].get("chosen"))


def as_head(kind: AttentionKind, value: object) -> Head | None:
    """What a browser sent, as a head; whether the model has it is for the View to check."""
    if not isinstance(value, Mapping):
        return None
    layer, head = value.get("layer"), value.get("head")
    if type(layer) is not int or type(head) is not int or min(layer, head) < 0:
        return None
    return Head(kind, layer, head)
