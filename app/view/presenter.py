"""Presenter mode: large type, nothing but title, sentence and picture, and keys in the place of controls.

A page that draws its picture in a `Frame` has it without a line of its own. Another one calls `listen` with its walks
where `session.view().present`, and draws no controls there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import streamlit as st

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.app.components.keys.keys import KEYS, as_keys
from headscope.app.view import session
from headscope.app.view.draw import draw, said
from headscope.app.view.navigation import PAGES, hidden
from headscope.app.view.state import View, fit
from headscope.app.wire.axes import KIND_LABELS
from headscope.app.wire.keys import LEAVE, keys
from headscope.app.wire.strip import SIDES, Pin
from headscope.model.config import ModelConfig
from headscope.model.sites import heads_at, layers_of

STYLE = Path(__file__).resolve().parents[1] / "assets" / "presenter.css"
TURN = "keys turn"
"""Key of the session's state: how often a page has listened."""
SIGNS = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓", "PageUp": "Page ↑", "PageDown": "↓"}
TURNS = {"PageUp": -1, "PageDown": 1}
"""Keys that turn to another page, as the buttons of a pointer for slides send them."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Two keys that go back and on through something."""

    what: str
    back: str
    """A key's name as browsers give it, "Shift+" before one that is pressed with it."""
    on: str
    step: Callable[[View, int], View]
    """The view one further (1) or one back (-1); at an end the view stays as it is."""

    @property
    def hint(self) -> str:
        """The keys as they are printed, and what they walk through."""
        shared = "Shift " if self.back.startswith("Shift+") else ""
        signs = [SIGNS.get(key.removeprefix("Shift+"), key) for key in (self.back, self.on)]
        return f"{shared}{' '.join(signs)} {self.what}"


def enter() -> None:
    """The button that enters it."""
    st.button("Present", help="Large type, no controls; Escape leaves", on_click=lambda: session.change(present=True))


def stage() -> None:
    """Take away what is not the page, and make the page large."""
    st.html(STYLE)


def listen(walks: Sequence[Walk]) -> None:
    """Let keys walk, and Escape leave."""
    steps = {key: (walk, by) for walk in walks for key, by in ((walk.back, -1), (walk.on, 1))}

    def act() -> None:
        view = before = session.view()
        for key in as_keys(said(KEYS, "pressed")):
            if key == LEAVE:
                view = replace(view, present=False)
            elif key in TURNS:
                turn(TURNS[key])
            elif key in steps:
                walk, by = steps[key]
                view = walk.step(view, by)
        changed = {field.name: getattr(view, field.name) for field in fields(View)}
        session.change(**{name: value for name, value in changed.items() if value != getattr(before, name)})

    count = st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    hints = [*(walk.hint for walk in walks), "Page ↑ ↓ page"]
    draw(KEYS, keys([*steps, *TURNS], hints, count), on_pressed=act)


def turn(by: int) -> None:
    """Present the next page (1) or the one before (-1); at an end the page stays."""
    names = [name for name in PAGES if name not in hidden() or name == session.page()]
    session.go_to(names[_clamp(names.index(session.page()) + by, len(names))])


def walks(config: ModelConfig, maps: AttentionMaps) -> tuple[Walk, ...]:
    """Through heads, layers and tokens: what pages about one sentence have."""
    sizes = (len(maps.source), len(maps.predicts))

    def kind(view: View, by: int) -> View:
        kinds = [kind for kind in KIND_LABELS if kind in config.capabilities().kinds]
        return fit(replace(view, kind=kinds[(kinds.index(view.kind) + by) % len(kinds)]), config)

    def head(view: View, by: int) -> View:
        return replace(view, head=_clamp(view.head + by, heads_at(config, view.kind, view.layer)))

    def layer(view: View, by: int) -> View:
        return replace(view, layer=_clamp(view.layer + by, len(layers_of(config, view.kind))))

    def token(view: View, by: int) -> View:
        tokens = [Pin(side, index) for side, size in zip(SIDES, sizes, strict=True) for index in range(size)]
        first = 0 if view.kind == "encoder" else sizes[0]
        at = _clamp(tokens.index(view.pin) + by, len(tokens)) if view.pin in tokens else first
        return replace(view, pin=tokens[at])

    return (
        Walk("attention", "K", "k", kind),
        Walk("head", "ArrowLeft", "ArrowRight", head),
        Walk("layer", "ArrowUp", "ArrowDown", layer),
        Walk("token", "Shift+ArrowLeft", "Shift+ArrowRight", token),
    )


def _clamp(index: int, count: int) -> int:
    return max(0, min(index, count - 1))
