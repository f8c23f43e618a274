"""Inside one head: products of a query with every key, their sums, and what scaling, mask and softmax make of them."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from streamlit.components.v2 import component

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import labels
from headscope.app.components.assets import script, text
from headscope.app.components.head_map import NAMES, axes
from headscope.app.wire.encoding import checked, tokens, weights

if TYPE_CHECKING:
    from headscope.analysis.capture.query_key import QueryKey

_component = component("headscope_inside", html=text("inside.html"), css=text("inside.css"), js=script("inside.js"))


def inside(found: "QueryKey", maps: AttentionMaps) -> None:
    """Draw it; `maps` is the record, in pieces, of the sentence pair that was looked into."""
    _component(key="inside", data=checked(payload(found, maps)))


def payload(found: "QueryKey", maps: AttentionMaps) -> dict[str, Any]:
    """What the component is given. It multiplies entries itself, which would be too many to send."""
    kind, layer, head = found.head
    width = found.query.shape[1]
    title = f"{NAMES[kind]}, layer {layer + 1}, head {head + 1}"
    biased = not np.allclose(found.scaled, found.scores / math.sqrt(width), atol=1e-3)
    return {
        "signature": f"{maps.fingerprint} {found.head}",
        "kind": kind,
        "title": title,
        "name": f"{title}: {len(found.key)} keys, {width} products each. Arrow keys read them out.",
        **axes(maps, kind),
        "columns": tokens(labels(maps.keys(kind))),
        "width": width,
        "scaling": f"÷ √{width}" + (" + bias" if biased else ""),
        "query": weights(found.query),
        "key": weights(found.key),
        "scores": weights(found.scores),
        "scaled": weights(found.scaled),
        "masked": weights(found.masked),
        "weights": weights(found.weights),
        "most": {
            "product": float((np.abs(found.query).max(0) * np.abs(found.key).max(0)).max()),
            "score": float(np.abs(found.scores).max()),
            "scaled": float(np.abs(found.scaled).max()),
        },
    }
