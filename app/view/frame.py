"""The frame around every page about one sentence: the sentence strip, and where problems stand."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from headscope.analysis.measures.warnings import WarningKind
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.app.components.strip.strip import STRIP, as_pin
from headscope.app.view import presenter, session
from headscope.app.view.draw import draw, said
from headscope.app.view.presenter import Walk
from headscope.app.view.shown import united
from headscope.app.view.state import View, lines, to_query
from headscope.app.wire.encoding import number
from headscope.app.wire.strip import Fact, StripSide, strip
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Reading, Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import searched

STRIP_HEIGHT = 120
PICTURE_HEIGHT = 440
OF_SOURCE = {WarningKind.LONG_SOURCE: "longest in training: {}", WarningKind.UNKNOWN: "most of them unknown"}
OF_OUTPUT = {
    WarningKind.CUT_OFF: "cut off",
    WarningKind.LONG_TRANSLATION: "longest in training: {}",
    WarningKind.REPETITION: "repeats itself",
}
"""What the strip says of each kind of warning, beside the length of a side."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a page draws its picture from."""

    sentence: Sentence
    """What the workbench was asked."""
    maps: AttentionMaps
    """In the tokens of the view, nothing hidden."""
    card: Card


class Frame:
    """The parts of a page that stand above and around its picture. Make it at the top of the page.

    A first visit sees grey shapes where strip and picture will stand; later the old ones stay, dimmed, until the new
    ones are drawn. Nothing jumps.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._first = "read" not in st.session_state
        _lines()
        self._strip = self._keep(STRIP_HEIGHT)
        _given()

    @property
    def card(self) -> Card | None:
        """What a page's controls are about. None: there is no checkpoint of that name, as `picture` will say, or the
        page is presented without controls."""
        if session.view().present:
            return None
        try:
            return self._bench.card(session.view().checkpoint)
        except HeadscopeError:
            return None

    @contextmanager
    def picture(self, *, in_pieces: bool = False, walks: Sequence[Walk] | None = None) -> Iterator[Picture]:
        """Translate the sentence, draw the strip above, and give the place for the picture.

        What is wrong with the sentence or the checkpoint is said in that place, and the page ends there.

        Args:
            in_pieces: the page knows nothing of words; who pins a piece there sees pieces from then on.
            walks: where keys lead in presenter mode; None: through heads, layers and tokens.
        """
        view = session.view()
        if in_pieces and view.unit != "pieces":
            view = replace(view, unit="pieces", pin=None)
        place = self._keep(PICTURE_HEIGHT)
        sentence = session.sentence(view)
        blank = not sentence.source
        if blank:
            last = st.session_state.get("read", sentence)
            typed = last.source if last.entry == sentence.entry else ""
            sentence = replace(sentence, source=typed or session.example(self._bench))
        try:
            reading, card = sentences.read(self._bench, sentence), self._bench.card(sentence.checkpoint)
            card.config.capabilities().require_kind(view.kind)
        except HeadscopeError as error:
            self._strip.empty()
            with self._fill(place):
                problem(error)
            if view.present:
                presenter.listen(_walk())
            st.stop()
        st.session_state["read"] = sentence
        picture = Picture(sentence, united(reading.maps, view), card)
        with self._fill(self._strip):
            _strip(picture.maps, reading, card, sentence, view)
        with self._fill(place):
            if blank:
                st.info("Type a sentence in the sidebar; until then another one stands here.")
            try:
                yield picture
            except HeadscopeError as error:
                problem(error)
            if view.present:
                own = presenter.walks(card.config, picture.maps) if walks is None else walks
                presenter.listen((*own, *_walk()))

    def _keep(self, height: int) -> DeltaGenerator:
        return st.skeleton(height=height) if self._first else st.container()

    def _fill(self, place: DeltaGenerator) -> DeltaGenerator:
        return place.container() if self._first else place


def _lines() -> None:
    """Of several sentences, which one is shown, and the way to the others.

    The place is there for one sentence too, so that what stands below stays the same element of the page.
    """
    view = session.view()
    count = len(lines(view.source))
    with st.container(horizontal=True, vertical_alignment="center", key="sentences"):
        if count < 2:
            return
        for label, by in (("Previous", -1), ("Next", 1)):
            if not view.present:
                at = view.line + by
                st.button(
                    label,
                    key=f"line {label}",
                    disabled=not 0 <= at < count,
                    on_click=session.change,
                    kwargs={"line": at},
                )
        st.text(f"Sentence {view.line + 1} of {count}", width="content")


def _walk() -> tuple[Walk, ...]:
    """Through the sentences, where there are several."""

    def sentence(view: View, by: int) -> View:
        return replace(view, line=max(0, min(view.line + by, len(lines(view.source)) - 1)), pin=None)

    return (
        (Walk("sentence", "Shift+PageUp", "Shift+PageDown", sentence),) if len(lines(session.view().source)) > 1 else ()
    )


def _given() -> None:
    """Say that the output is not the best translation where it is another one, and lead back."""
    view = session.view()
    if view.target is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="given"):
        st.text("The output is a hypothesis chosen in the search, not the best translation.", width="content")
        if not view.present:
            st.button("Back to the best translation", on_click=lambda: session.change(target=None))


def recorded(picture: Picture, view: View) -> AttentionMaps:
    """Weights or contributions, in the tokens of the view."""
    if view.quantity == "weight":
        return picture.maps
    return united(sentences.contributions(session.workbench(), picture.sentence), view)


def problem(error: HeadscopeError) -> None:
    """What is wrong, in the place of what cannot be shown."""
    with st.container(border=True, key="problem"):
        st.markdown(":material/error: **Nothing to show**")
        st.text(f"{str(error)[0].upper()}{str(error)[1:]}.")


def _strip(maps: AttentionMaps, reading: Reading, card: Card, sentence: Sentence, view: View) -> None:
    pieces = reading.maps
    trained: dict[StripSide, int | None] = {
        "source": card.trained_length("source"),
        "output": card.trained_length("target"),
    }

    def pin() -> None:
        if session.view().unit != view.unit:
            session.change(unit=view.unit)
        session.change(pin=as_pin(said(STRIP, "pinned")))

    message = strip(
        maps,
        pin=view.pin,
        facts=[
            Fact(sentence.checkpoint),
            Fact(f"log p {number(float(maps.log_probs.sum()))} nats"),
            Fact(f"{len(pieces.source)} pieces in", _warning(reading, OF_SOURCE, trained["source"])),
            Fact(f"{len(pieces.predicts)} out", _warning(reading, OF_OUTPUT, trained["output"])),
            Fact(searched(sentence.settings(card.search)) if sentence.target is None else "chosen in the search"),
            Fact(_duration(reading.seconds)),
        ],
        trained=trained if view.unit == "pieces" else {"source": None, "output": None},
        languages=card.languages,
        link=None if view.present else urlencode(to_query(replace(view, tour=0))),
    )
    draw(STRIP, message, on_pinned=pin)


def _warning(reading: Reading, words: Mapping[WarningKind, str], trained: int | None) -> str:
    """What a side gives cause to warn of; `trained` is the length of its longest sentence in training."""
    said = [text.format(trained) for kind, text in words.items() if kind in reading.warnings]
    return f" ({', '.join(said)})" if said else ""


def _duration(seconds: float) -> str:
    return f"{number(seconds)} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"
