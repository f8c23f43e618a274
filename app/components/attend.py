"""Where one decoder head looks when it predicts one piece: over the source, and over what it has read."""

from dataclasses import asdict
from typing import Any

from streamlit.components.v2 import component

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import Label, labels
from headscope.app.components.assets import script, text
from headscope.app.view.search_state import Place
from headscope.app.wire.encoding import checked, tokens

_component = component("headscope_attend", html=text("attend.html"), css=text("attend.css"), js=script("attend.js"))


def attend(maps: AttentionMaps, place: Place, layer: int, head: int, predicts: Label) -> None:
    """Draw it.

    Args:
        maps: the record of the hypothesis that the candidate extends; its last row is about to predict the piece.
        place: of the candidate.
        predicts: its piece.
    """
    _component(key="attend", data=checked(payload(maps, place, layer, head, predicts)))


def payload(maps: AttentionMaps, place: Place, layer: int, head: int, predicts: Label) -> dict[str, Any]:
    """What the component is given."""
    return {
        "node": f"{place.lane}.{place.step}.{place.index}",
        "head": f"Layer {layer + 1}, head {head + 1}",
        "predicts": asdict(predicts),
        "source": tokens(labels(maps.source)),
        "cross": maps.cross[layer][head][-1].astype(float).round(4).tolist(),
        "reads": tokens(labels(maps.reads)),
        "decoder": maps.decoder[layer][head][-1].astype(float).round(4).tolist(),
    }
