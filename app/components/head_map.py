"""The map of one head: which token looks at which, with the weights of what is selected."""

from typing import Any

from streamlit.components.v2 import component

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import labels
from headscope.app.components.assets import script, text
from headscope.app.view.shown import Shown
from headscope.app.wire.encoding import checked, tokens, weights
from headscope.app.wire.long import overview
from headscope.model.network.sites import AttentionKind

_component = component(
    "headscope_head_map",
    html=text("head_map.html"),
    css=text("pane.css") + text("head_map.css"),
    js=script("head_map.js"),
)

NAMES: dict[AttentionKind, str] = {
    "cross": "Cross-attention",
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
}


def head_map(shown: Shown, kind: AttentionKind, layer: int, head: int) -> None:
    """Draw one head's map; layer and head count from 0."""
    _component(key="head_map", data=checked(payload(shown, kind, layer, head)))


def payload(shown: Shown, kind: AttentionKind, layer: int, head: int) -> dict[str, Any]:
    """What the component is given."""
    maps = shown.maps
    array = maps.layers(kind)[layer][head]
    title = f"{NAMES[kind]}, layer {layer + 1}, head {head + 1}"
    rows, columns = array.shape
    return {
        "signature": f"{maps.fingerprint} {maps.quantity} {kind} {layer} {head} {shown.scale}",
        "tokens": f"{maps.fingerprint} {kind}",
        "kind": kind,
        "title": title,
        "name": f"{title}: {rows} by {columns} {maps.quantity}s. Arrow keys read them out.",
        "quantity": maps.quantity,
        "most": shown.most(kind, layer),
        **axes(maps, kind),
        "columns": tokens(labels(maps.keys(kind))),
        "weights": weights(array),
        "overview": overview(array[None]),
        "hidden": row_masses(shown, kind, layer, head),
    }


def axes(maps: AttentionMaps, kind: AttentionKind) -> dict[str, Any]:
    """What rows and columns are, and the tokens of each row."""
    reads = tokens(labels(maps.queries(kind)))
    predicts = [None] * len(reads) if kind == "encoder" else tokens(labels(maps.predicts))
    return {
        "query_axis": "token" if kind == "encoder" else "reads → predicts",
        "key_axis": "looks at",
        "rows": [{"reads": read, "predicts": predict} for read, predict in zip(reads, predicts, strict=True)],
    }


def row_masses(shown: Shown, kind: AttentionKind, layer: int, head: int) -> list[float] | None:
    """What each row has on symbols that are hidden; None where none is."""
    return None if shown.hidden is None else shown.hidden[kind][layer][head].astype(float).round(4).tolist()
