"""Worked examples of a checkpoint: one question each, a number over many sentences, and a sentence where it fails."""

from dataclasses import replace

import streamlit as st

from headscope.analysis.gallery.questions import QUESTIONS
from headscope.analysis.gallery.record import Example, Gallery, Shown
from headscope.analysis.gallery.wording import by_weight, name, wording
from headscope.app.pages.positions.findings import cards
from headscope.app.pages.why import pairs
from headscope.app.view import controls, presenter, session
from headscope.app.view.frame import problem
from headscope.app.view.state import Pin, View, default_view, to_query
from headscope.app.wire.thumbnail import thumbnail
from headscope.app.workbench import studies
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError

ORDER = (
    "Clear findings stand first, and among them the heads that do the most, measured against other heads. "
    "What is not clear comes after them, and says so."
)


def gallery(found: Gallery, card: Card) -> None:
    """All examples, and where their sentences come from."""
    st.markdown(f":small[:gray[{ORDER}]]")
    with st.container(horizontal=True, key="cards"):
        for example in by_weight(found.examples):
            with st.container(border=True, key=f"example-{example.question}"):
                one(found, example, card)
    st.text(
        f"Sentences: {found.data}. {found.licence}; attribution: {found.attribution}. Translations: the model's own."
    )


def none() -> None:
    """What is missing where there are no examples."""
    with st.container(border=True, key="none"):
        st.markdown(
            "**No gallery lies with this checkpoint.** It would show, one question at a time, which head answers it "
            "best: with a number over many sentences, that of the other heads, and a sentence where the head fails. "
            "Whoever runs this server can make it, from text that the model was not trained on; then it stands here."
        )


def one(found: Gallery, example: Example, card: Card) -> None:
    """One example: its finding at a glance, the sentence that shows it, and the rest when it is unfolded."""
    words = wording(example, found.gold)
    st.header(words.title, anchor=False)
    st.markdown(f"**{words.figure}**  \n:small[:gray[{words.beside}]]")
    sentence(example.sentence, example, address(found, example.sentence, example, card))
    with st.expander("Numbers and counter-example"):
        st.markdown(f":gray[{words.question}]")
        for paragraph in words.finding:
            st.text(paragraph)
        st.markdown(f"**Example**: {words.sentence}")
        st.markdown(f"**Counter-example**: {words.counter}")
        if example.counter:
            sentence(example.counter, example, address(found, example.counter, example, card))
        st.markdown(f":small[:gray[{words.basis}]]")


def sentence(shown: Shown, example: Example, query: dict[str, str]) -> None:
    """A sentence with the head's map, and the way to it."""
    with st.container(horizontal=True):
        weights = shown.weights
        st.image(
            thumbnail(weights),
            alt=f"Map of {name(example.head)}: {len(weights)} rows that look at {weights.shape[1]} tokens",
        )
        with st.container(width="stretch"):
            st.text(shown.source)
            st.text(shown.target if shown.finished else f"{shown.target} (cut off)")
            page = QUESTIONS[example.question].page
            label = {"head": "Open this head", "what_if": "Take it away"}[page]
            controls.link(page, label, query)


def address(found: Gallery, shown: Shown, example: Example, card: Card) -> dict[str, str]:
    """The query parameters of the view in which the example is to be seen."""
    base = default_view(session.view().checkpoint, card.config, card.languages[0], search=card.search)
    view: View = replace(
        base,
        source=shown.source,
        beam=found.beam,
        length_penalty=found.length_penalty,
        pin=Pin(*shown.pin) if shown.pin else None,
        off=(example.head,),
        present=session.view().present,
        **example.head._asdict(),
    )
    return to_query(view)


bench, checkpoint = session.workbench(), session.view().checkpoint
st.title("What do heads do in this model?", anchor=False)
st.text(checkpoint)
try:
    if found := studies.gallery(bench, checkpoint):
        gallery(found, bench.card(checkpoint))
    else:
        none()
    cards(bench.card(checkpoint))
    pairs.cards(bench.card(checkpoint))
except HeadscopeError as error:
    problem(error)
if session.view().present:
    presenter.listen(())
controls.how_to_read(
    "Every question was put to all heads, in the model's own translations of sentences that it was not trained on. "
    "The head was chosen on one half of them and the numbers are from the other, for the best of many is partly the "
    "luckiest. "
    "Where the interval does not clear the threshold, the title says that no head clearly does it.",
    source="A map is violet where there is weight; a row is a token that looks, a column one that is looked at.",
)
