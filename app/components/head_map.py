"""The map of one head: which token looks at which, with the weights of what is selected."""

from typing import Any

from streamlit.components.v2 import component

from analysis.labels import labels
from analysis.record import AttentionMaps, Kind
from app.components.assets import script, text
from app.components.payload import checked, tokens, weights

_component = component(
    "headscope_head_map", html=text("head_map.html"), css=text("head_map.css"), js=script("head_map.js")
)

NAMES: dict[Kind, str] = {
    "cross": "Cross-attention",
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
}


def head_map(maps: AttentionMaps, kind: Kind, layer: int, head: int) -> None:
    """Draw one head's map; layer and head count from 0."""
    _component(key="head_map", data=checked(payload(maps, kind, layer, head)))


def payload(maps: AttentionMaps, kind: Kind, layer: int, head: int) -> dict[str, Any]:
    """What the component is given."""
    array = maps.layers(kind)[layer][head]
    reads = tokens(labels(maps.queries(kind)))
    predicts = [None] * len(reads) if kind == "encoder" else tokens(labels(maps.predicts))
    title = f"{NAMES[kind]}, layer {layer + 1}, head {head + 1}"
    return {
        "signature": f"{maps.fingerprint} {maps.quantity} {kind} {layer} {head}",
        "kind": kind,
        "title": title,
        "name": f"{title}: {array.shape[0]} by {array.shape[1]} weights. Arrow keys read them out.",
        "query_axis": "token" if kind == "encoder" else "reads → predicts",
        "key_axis": "looks at",
        "rows": [{"reads": read, "predicts": predict} for read, predict in zip(reads, predicts, strict=True)],
        "columns": tokens(labels(maps.keys(kind))),
        "weights": weights(array),
    }
