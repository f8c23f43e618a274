"""Where a wall stands, and what stands there while something that it needs is still computed."""

from collections.abc import Callable, Hashable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from headscope.app.components.wall.wall import WALL
from headscope.app.view.draw import draw
from headscope.app.wire.wall import Wall

DRAWN = "wall drawn"
"""Key of the session's state: what the wall on the page shows."""


class WallPlace:
    """Make it where the wall is to stand; what comes before it on the page must stand in places of its own."""

    def __init__(self, shows: Hashable) -> None:
        """`shows` says of what the maps are: a wall of the same stays until the new one is there."""
        self._shows, self._place = shows, st.container()
        self._slot: DeltaGenerator | None = None

    def meanwhile(self, message: Callable[[], Wall]) -> None:
        """Draw a wall of the same maps, greyed, where none of them stands yet."""
        if self._slot is None and st.session_state.get(DRAWN) != self._shows:
            self._slot = self._place.empty()
            with self._slot.container(key="old"):
                draw(WALL, message(), key="wall until then")

    def draw(self, message: Wall, *, on_chosen: Callable[[], None]) -> None:
        """Draw the wall."""
        with (self._slot or self._place).container():
            draw(WALL, message, on_chosen=on_chosen)
        st.session_state[DRAWN] = self._shows
