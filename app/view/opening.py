"""What every page opens with: a sentence on what is seen, two things to do next, and a tour through five pages."""

from dataclasses import dataclass

import streamlit as st

from headscope.app.components.guide.guide import GUIDE, as_stop
from headscope.app.view import session
from headscope.app.view.draw import draw, said
from headscope.app.view.state import STOPS
from headscope.app.wire.guide import Guide


@dataclass(frozen=True, slots=True)
class Opening:
    """What is said of a page."""

    seen: str
    steps: tuple[str, str]
    told: str = ""
    """In the tour; blank: it does not stop there."""


OPENINGS = {
    "head": Opening(
        "Where one head looks: each token that looks shares a weight of 1 among the tokens it looks at.",
        ("Point at a token above for its row; a click keeps it.", "Choose another layer or head below the title."),
        "The sentence and its translation stand above: point at a token, and what it looks at is coloured. For a "
        "sentence of your own, type it in the sidebar and press Enter.",
    ),
    "overview": Opening(
        "All heads of one kind of attention; number and colour below a map say how much the measure finds there.",
        ("Click a map to open that head.", "Choose another kind of attention: Encoder or Decoder."),
        "All heads at once, first those without which this translation becomes most or least probable. A click on a "
        "map opens its head.",
    ),
    "inside": Opening(
        "How one query comes to its weights: times every key, summed, scaled, masked, and as shares of 1.",
        ("Click a token above or a row of a small picture for its query.", "Point at a cell for its numbers."),
        "Why a head looks where it looks, step by step. It opens on the piece that the model was least sure of.",
    ),
    "training": Opening(
        "One head while the model was trained: its map in a sentence that was watched, and its measures over many.",
        ("Move the slider, or press Play.", "Choose another head, or another watched sentence."),
    ),
    "what_if": Opening(
        "The translation with all heads, and without those that are crossed out.",
        ("Click a map to take its head away, again to bring it back.", "Compare a head's three maps at the end."),
        "Take heads away and see the translation change. It opens without those that this sentence needs most.",
    ),
    "why": Opening(
        "What made the model say a token: which words of the source, and which of those it had written before.",
        ("Click a token of the output above, or a row of the matrix.", "Choose another method, or what is explained."),
    ),
    "search": Opening(
        "Every step of the search that found the translation: what could follow, and what of it was kept.",
        (
            "Click a piece for its numbers and its attention.",
            "Compare with other settings: “Compare with a second search, B”.",
        ),
        "How the translation was found, and what became of every other candidate. That was the tour: the button in "
        "the sidebar starts it again, and the gallery has worked examples.",
    ),
    "positions": Opening(
        "What this checkpoint knows of the order of tokens: its table of positions, and what attention makes of it.",
        ("Choose another view below the title.", "“What if”: exchange the positions of two words of the sentence."),
    ),
    "compare": Opening(
        "Up to four models on one sentence: what each finds, what it thinks of the others' translations, and why.",
        ("Choose another view below the title.", "“Add a change”: the same model without a head, or shifted."),
    ),
    "ablations": Opening(
        "Small models that differ from a base in one thing each: what the difference makes, over several trainings.",
        ("Choose another grid below the title.", "Choose a measure: loss, BLEU or chrF."),
    ),
    "gallery": Opening(
        "What heads of this model do over many sentences: clear findings first.",
        ("Open a card's sentence to see the head in it.", "Unfold a card for its numbers and a counter-example."),
    ),
    "models": Opening(
        "The checkpoints of this server, and what is known of each.",
        ("“Use this” takes a checkpoint to all pages.", "Unfold a card for its sizes, its origin and its scores."),
    ),
    "runs": Opening(
        "Trainings on this machine: each goes on by itself, whether a page is open or not.",
        ("“Start training” begins with the text and recipe that stand there.", "Choose several runs to compare them."),
    ),
}
TOUR = ("head", "overview", "inside", "what_if", "search")
"""The pages of its stops; the View counts them from 1."""


def opening(page: str) -> None:
    """Draw what stands above a page, which the visitor's browser may have hidden.

    Args:
        page: its name in the navigation.
    """
    own, stop = OPENINGS[page], session.view().tour
    here = stop if stop and TOUR[stop - 1] == page else 0
    with st.container(key="opening"):
        draw(GUIDE, Guide(page, own.seen, own.steps, here, STOPS, own.told), on_went=_go)


def enter() -> None:
    """The button that starts the tour."""
    st.button("Tour", help="Five stops; what was hidden of the pages' notes comes back", on_click=lambda: _stop(1))


def _go() -> None:
    _stop(as_stop(said(GUIDE, "went"), STOPS))


def _stop(stop: int) -> None:
    session.change(tour=stop)
    if stop:
        session.go_to(TOUR[stop - 1])
