"""The line view: two columns of tokens, and the strongest links of one or several heads between them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from streamlit.components.v2 import component

from headscope.analysis.records.labels import labels
from headscope.analysis.records.links import SHARE, strongest
from headscope.app.components.assets import script, text
from headscope.app.components.head_map import NAMES, axes, row_masses
from headscope.app.view.shown import Shown
from headscope.app.wire.encoding import checked, tokens
from headscope.app.wire.long import overview
from headscope.model.network.sites import AttentionKind

_component = component(
    "headscope_lines", html=text("lines.html"), css=text("pane.css") + text("lines.css"), js=script("lines.js")
)


def lines(shown: Shown, kind: AttentionKind, layer: int, heads: Sequence[int]) -> None:
    """Draw the links of some heads of a layer; layer and heads count from 0."""
    _component(key="lines", data=checked(payload(shown, kind, layer, heads)))


def payload(shown: Shown, kind: AttentionKind, layer: int, heads: Sequence[int]) -> dict[str, Any]:
    """What the component is given."""
    maps = shown.maps
    found = {head: _links(maps.layers(kind)[layer][head]) for head in heads}
    count, size = sum(len(links["rows"]) for links in found.values()), maps.layers(kind)[layer][0].size
    return {
        "signature": f"{maps.fingerprint} {maps.quantity} {kind} {layer} {heads}",
        "kind": kind,
        "title": f"{NAMES[kind]}, layer {layer + 1}",
        "quantity": maps.quantity,
        "most": shown.most(kind, layer),
        **axes(maps, kind),
        "columns": tokens(labels(maps.keys(kind))),
        "overview": overview(maps.layers(kind)[layer][list(heads)]),
        "heads": [
            {"head": head, "links": links, "hidden": row_masses(shown, kind, layer, head)}
            for head, links in found.items()
        ],
        "drawn": (
            f"Drawn are the strongest links of each row that make up {SHARE:.0%} of its {maps.quantity}: "
            f"{count:,} of {size * len(heads):,}."
        ),
    }


def _links(weights: np.ndarray) -> dict[str, list]:
    rows, columns = np.nonzero(strongest(weights))
    values = [float(f"{value:.4g}") for value in weights[rows, columns].tolist()]
    return {"rows": rows.tolist(), "columns": columns.tolist(), "weights": values}
