"""What a corpus says of the checkpoint's searches: worked examples to be opened, and curves over the beam."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from headscope.app.pages.search.curves import curves
from headscope.app.view import controls, session
from headscope.app.view.charts import draw_figure
from headscope.app.view.search_state import Other, SearchView
from headscope.app.view.state import default_view, to_query
from headscope.app.wire.encoding import number
from headscope.app.workbench import studies
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import Card
from headscope.model.search.limits import PAGE_BEAMS
from headscope.model.search.settings import searched

if TYPE_CHECKING:
    from headscope.analysis.search.study import SearchStudy, Worked

LESSONS = {
    "greedy": "Greedy search is wrong where a beam is right",
    "large beam": "A large beam finds something more probable, shorter and worse",
    "penalty": "The length penalty decides",
}
NONE = (
    "No study of searches of these weights lies with this checkpoint. It would show BLEU, chrF and length against the "
    "beam, how often the most probable translation is empty, and sentences in which the search decides. Whoever runs "
    "this server can make it, from text that the model was not trained on; then it stands here."
)


def study(bench: Workbench, card: Card) -> None:
    """All of it, loaded when it is opened."""
    with st.expander("Beam search over a corpus, and worked examples", key="study", on_change="rerun") as fold:
        if not fold.open:
            return
        found = studies.searches(bench, session.view().checkpoint)
        if found is None:
            st.markdown(NONE)
            return
        for place, example in enumerate(found.examples):
            _example(example, card, place)
        _curves(found)
        st.text(f"{found.sentences:,} sentences: {found.data}. {found.licence}; attribution: {found.attribution}.")


def _example(example: "Worked", card: Card, place: int) -> None:
    with st.container(border=True, key=f"worked-{place}"):
        st.markdown(f"**{LESSONS[example.lesson]}**")
        st.text(f"{example.source}\nReference: {example.reference}")
        for name, found in (("A", example.a), ("B", example.b)):
            how = searched(card.search.override(beam=found.beam, alpha=found.alpha))
            numbers = f"log p {number(found.log_prob)}, {found.pieces} pieces, chrF {found.chrf:.1f}"
            st.text(f"{name} ({how}): {found.text or '(nothing)'}\n{numbers}")
        if max(example.a.beam, example.b.beam) > PAGE_BEAMS[1]:
            st.text(
                f"Pages search with beams up to {PAGE_BEAMS[1]}; whoever runs this server can search with larger ones."
            )
            return
        query = address(session.view().checkpoint, example, card)
        if query == to_query(session.view()):
            st.text("These are A and B at the top of this page.")
        else:
            controls.link("search", "Open both searches", query)


def address(checkpoint: str, example: "Worked", card: Card) -> dict[str, str]:
    """The query parameters of the view in which A and B stand side by side."""
    base = default_view(checkpoint, card.config, card.languages[0])
    other = Other(beam=example.b.beam, length_penalty=example.b.alpha)
    view = replace(
        base,
        source=example.source,
        beam=example.a.beam,
        length_penalty=example.a.alpha,
        search=SearchView(other=other),
    )
    return to_query(view)


def _curves(found: "SearchStudy") -> None:
    """BLEU and length against the beam, as a figure and as a table."""
    table = pd.DataFrame(
        {
            "beam": [point.beam for point in found.points],
            "length penalty": [point.alpha for point in found.points],
            "BLEU": [point.bleu.value for point in found.points],
            "±": [point.bleu.interval for point in found.points],
            "chrF": [point.chrf.value for point in found.points],
            "length ratio": [point.length_ratio for point in found.points],
            "log p": [point.log_prob for point in found.points],
            "empty": [point.empty for point in found.points],
            "cut off": [point.cut_off for point in found.points],
        }
    )
    st.markdown("**BLEU and length against the beam**")
    draw_figure(
        curves(found),
        key="curves",
        alt="BLEU and length ratio against beam size, one line a length penalty; the table below has the numbers",
    )
    st.dataframe(table, hide_index=True, key="points", alt="BLEU, chrF and length of every beam and length penalty")
    greedy, modes = found.greedy, found.modes
    st.text(
        f"The reference, word for word: greedy search and beam {greedy.beam} both {greedy.both:,} times, the beam "
        f"alone {greedy.beam_alone:,}, greedy search alone {greedy.greedy_alone:,}, neither {greedy.neither:,}. "
        f"Greedy search gives a less probable translation of {greedy.less_probable:,} sentences."
    )
    st.text(
        f"The most probable translation, looked for in {modes.sentences:,} sentences with {modes.budget:,} hypotheses "
        f"each: proven in {modes.proven:,}; of these the empty translation {modes.empty:,} times, and what beam search "
        f"gives {modes.beam_found:,} times."
    )
