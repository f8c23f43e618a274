"""The frame around every page about one sentence: the sidebar, the sentence strip, and where problems stand."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.record import AttentionMaps
from app import session
from app.components.strip import Fact, pinned, strip
from app.shown import united
from app.state import BEAMS, PENALTIES, SPECIALS, UNITS, Side, one_line, to_query
from app.workbench import Reading, Sentence, Workbench
from model.card import Card
from model.errors import HeadscopeError

SPECIAL_LABELS = {
    "shown": "Shown",
    "hidden": "Hidden",
    "renormalised": "Hidden, rows renormalised",
}
STRIP_HEIGHT = 120
PICTURE_HEIGHT = 440


def sidebar(bench: Workbench) -> None:
    """The controls that all pages share."""
    view = session.view()
    known = view.checkpoint in bench.names
    with st.sidebar:
        st.selectbox(
            "Checkpoint",
            bench.names,
            index=0 if known else None,
            placeholder="Choose one",
            **session.control("checkpoint", view.checkpoint if known else None),
        )
        st.text_area("Sentence", height="content", **session.control("source", view.source, clean=one_line))
        st.segmented_control(
            "Tokens", UNITS, required=True, format_func=str.capitalize, **session.control("unit", view.unit)
        )
        st.selectbox(
            "Start and end symbols",
            SPECIALS,
            format_func=SPECIAL_LABELS.__getitem__,
            **session.control("special", view.special),
        )
        with st.expander("Advanced"):
            st.number_input("Beam", *BEAMS, step=1, **session.control("beam", view.beam))
            st.number_input(
                "Length penalty",
                *PENALTIES,
                step=0.1,
                format="%.1f",
                **session.control("length_penalty", view.length_penalty, clean=lambda value: round(value, 6)),
            )


@dataclass(frozen=True, slots=True)
class Picture:
    """What a page draws its picture from."""

    sentence: Sentence
    """What the workbench was asked."""
    maps: AttentionMaps
    """In the tokens of the view, nothing hidden."""


class Frame:
    """The parts of a page that stand above and around its picture. Make it at the top of the page.

    A first visit sees grey shapes where strip and picture will stand; later the old ones stay, dimmed, until the new
    ones are drawn. Nothing jumps.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._first = "read" not in st.session_state
        self._strip = self._keep(STRIP_HEIGHT)

    @property
    def card(self) -> Card | None:
        """What is known of the checkpoint; None: there is none of that name, as `picture` will say."""
        try:
            return self._bench.card(session.view().checkpoint)
        except HeadscopeError:
            return None

    @contextmanager
    def picture(self) -> Iterator[Picture]:
        """Translate the sentence, draw the strip above, and give the place for the picture.

        What is wrong with the sentence or the checkpoint is said in that place, and the page ends there.
        """
        place = self._keep(PICTURE_HEIGHT)
        sentence = session.sentence(session.view())
        blank = not sentence.source.strip()
        if blank:
            sentence = replace(sentence, source=st.session_state.get("read") or session.example(self._bench))
        try:
            reading, card = self._bench.read(sentence), self._bench.card(sentence.checkpoint)
        except HeadscopeError as error:
            self._strip.empty()
            with self._fill(place):
                problem(error)
            st.stop()
        st.session_state["read"] = sentence.source
        picture = Picture(sentence, united(reading.maps, session.view()))
        with self._fill(self._strip):
            _strip(picture.maps, reading, card, sentence)
        with self._fill(place):
            if blank:
                st.info("Type a sentence in the sidebar; until then another one stands here.")
            try:
                yield picture
            except HeadscopeError as error:
                problem(error)

    def _keep(self, height: int) -> DeltaGenerator:
        return st.skeleton(height=height) if self._first else st.container()

    def _fill(self, place: DeltaGenerator) -> DeltaGenerator:
        return place.container() if self._first else place


def problem(error: HeadscopeError) -> None:
    """What is wrong, in the place of what cannot be shown."""
    with st.container(border=True, key="problem"):
        st.markdown(":material/error: **Nothing to show**")
        st.text(f"{str(error)[0].upper()}{str(error)[1:]}.")


def _strip(maps: AttentionMaps, reading: Reading, card: Card, sentence: Sentence) -> None:
    view, pieces = session.view(), reading.maps
    trained: dict[Side, int | None] = {
        "source": card.trained_length("source"),
        "output": card.trained_length("target"),
    }
    strip(
        maps,
        pin=view.pin,
        facts=[
            Fact(sentence.checkpoint),
            Fact(f"log p {_number(float(maps.log_probs.sum()))} nats"),
            Fact(f"{len(pieces.source)} pieces in", _beyond(len(pieces.source), trained["source"])),
            Fact(f"{len(pieces.predicts)} out", _beyond(len(pieces.predicts), trained["output"])),
            Fact(f"beam {sentence.beam}, length penalty {sentence.length_penalty:g}"),
            Fact(_duration(reading.seconds)),
        ],
        trained=trained if view.unit == "pieces" else {"source": None, "output": None},
        languages=card.languages,
        link=urlencode(to_query(view)),
        on_pin=lambda: session.change(pin=pinned()),
    )


def _beyond(pieces: int, trained: int | None) -> str:
    """What is to be said of a sentence longer than any in training."""
    return f" (longest in training: {trained})" if trained is not None and pieces > trained else ""


def _duration(seconds: float) -> str:
    return f"{_number(seconds)} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _number(value: float) -> str:
    """Three significant digits."""
    shown = f"{value:#.3g}".rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return shown.replace("-", "−")
