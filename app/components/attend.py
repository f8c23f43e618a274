"""Where one decoder head looks when it predicts one piece: over the source, and over what it has read."""

from typing import Any

from streamlit.components.v2 import component

from analysis.labels import labels
from analysis.record import AttentionMaps
from app.components.assets import script, text
from app.components.payload import checked, tokens
from app.search_state import Place

_component = component("headscope_attend", html=text("attend.html"), css=text("attend.css"), js=script("attend.js"))


def attend(maps: AttentionMaps, place: Place, layer: int, head: int) -> None:
    """Draw it; `maps` is the record of the candidate's own hypothesis, whose row `place.step` predicts its piece."""
    _component(key="attend", data=checked(payload(maps, place, layer, head)))


def payload(maps: AttentionMaps, place: Place, layer: int, head: int) -> dict[str, Any]:
    """What the component is given."""
    row = place.step
    return {
        "node": f"{place.lane}.{place.step}.{place.index}",
        "head": f"Layer {layer + 1}, head {head + 1}",
        "predicts": tokens(labels(maps.predicts))[row],
        "source": tokens(labels(maps.source)),
        "cross": maps.cross[layer][head][row].astype(float).round(4).tolist(),
        "reads": tokens(labels(maps.reads))[: row + 1],
        "decoder": maps.decoder[layer][head][row, : row + 1].astype(float).round(4).tolist(),
    }
