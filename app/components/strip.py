"""The sentence strip: source and output as tokens, and what is known of the translation."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components.v2 import component

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import labels
from headscope.app.components.assets import script, text
from headscope.app.view.state import SIDES, Pin, Side
from headscope.app.wire.encoding import checked, tokens

_component = component("headscope_strip", html=text("strip.html"), css=text("strip.css"), js=script("strip.js"))
KEY = "strip"


@dataclass(frozen=True, slots=True)
class Fact:
    """One item of the line below the tokens, and a warning that belongs to it."""

    text: str
    warning: str = ""


def strip(
    maps: AttentionMaps,
    *,
    pin: Pin | None,
    facts: list[Fact],
    trained: Mapping[Side, int | None],
    languages: tuple[str, str],
    link: str | None,
    on_pin: Callable[[], None],
) -> None:
    """Draw it.

    Args:
        pin: the token that stays selected.
        trained: pieces of the longest sentence in training, a side; None: not known.
        languages: codes of source and target.
        link: query string of the address that opens this view, to be copied; None: there is no button for it.
        on_pin: called before the next run when the visitor pins or unpins a token; `pinned` says which.
    """
    data = payload(maps, pin=pin, facts=facts, trained=trained, languages=languages, link=link)
    _component(key=KEY, data=checked(data), on_pinned_change=on_pin)


def payload(
    maps: AttentionMaps,
    *,
    pin: Pin | None,
    facts: list[Fact],
    trained: Mapping[Side, int | None],
    languages: tuple[str, str],
    link: str | None,
) -> dict[str, Any]:
    """What the component is given."""
    probabilities = np.exp(maps.log_probs.astype(np.float64)).round(6).tolist()
    return {
        "signature": f"{maps.fingerprint} {languages}",
        "source": _row(maps, "source", languages[0], trained["source"], None),
        "output": _row(maps, "output", languages[1], trained["output"], probabilities),
        "facts": [asdict(fact) for fact in facts],
        "pin": asdict(pin) if pin else None,
        "link": link,
    }


def _row(
    maps: AttentionMaps, side: Side, language: str, trained: int | None, probabilities: list[float] | None
) -> dict[str, Any]:
    sentence = maps.source if side == "source" else maps.predicts
    notes = [
        {
            "probability": None if probabilities is None else probabilities[index],
            "beyond": trained is not None and index >= trained,
        }
        for index in range(len(sentence))
    ]
    return {"text": sentence.text, "language": language, "labels": tokens(labels(sentence)), "notes": notes}


def pinned() -> Pin | None:
    """The token the visitor has pinned just now; None: unpinned, or what came from the browser is no token."""
    return as_pin(st.session_state[KEY].get("pinned"))


def as_pin(value: object) -> Pin | None:
    """What a browser sent, as a token; None where it is none."""
    token = value.get("token") if isinstance(value, Mapping) else None
    if not isinstance(token, Mapping):
        return None
    side, index = token.get("side"), token.get("index")
    if side not in SIDES or type(index) is not int or index < 0:
        return None
    return Pin(side, index)
