"""What stands beside beam search: the most probable translation, and the most typical of many samples."""

import math
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from headscope.app.pages.search.lanes import Lane
from headscope.app.view import controls, session
from headscope.app.view.working import long_work
from headscope.app.wire.encoding import number
from headscope.app.wire.thumbnail import thumbnail
from headscope.app.workbench import searches
from headscope.app.workbench.searches import NODES, SAMPLES, SECONDS
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.search.exact import ExactSearch
    from headscope.analysis.search.mbr import Mbr

MODE_LABELS = {"none": "Nothing", "exact": "Most probable", "mbr": "Most typical sample"}
LIKENESS_LABELS = {"chrf": "chrF", "bleu": "BLEU"}
SHOWN = 10
"""Translations whose utilities are written out."""


def mode(bench: Workbench, sentence: Sentence, first: Lane) -> None:
    """The choice, and what is found."""
    search = session.view().search
    st.header("Is it the one that the model likes best?", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="mode"):
        controls.one_of("Compare beam search with", MODE_LABELS, "search.mode")
        if search.mode == "mbr":
            controls.one_of("Samples are alike by", LIKENESS_LABELS, "search.likeness")
    try:
        _compare(bench, sentence, first)
    except HeadscopeError as error:
        st.text(f"{str(error)[0].upper()}{str(error)[1:]}.")


def _compare(bench: Workbench, sentence: Sentence, first: Lane) -> None:
    search = session.view().search
    if search.mode == "exact":
        label = f"Looks for the most probable translation: {NODES:,} hypotheses or {SECONDS:g} seconds at most"
        with st.spinner(label):
            found = long_work(
                ("exact", sentence, first.settings),
                label,
                lambda bar: searches.exact(bench, sentence, settings=first.settings, progress=bar),
            )
        if found is not None:
            _exact(found)
    elif search.mode == "mbr":
        label, likeness = f"Draws {SAMPLES} samples and compares them", search.likeness
        with st.spinner(label):
            found = long_work(
                ("mbr", sentence, likeness, first.settings),
                label,
                lambda bar: searches.mbr(bench, sentence, utility=likeness, settings=first.settings, progress=bar),
            )
        if found is not None:
            _mbr(found, first)


def _exact(found: "ExactSearch") -> None:
    """The verdict, and three translations beside each other."""
    st.text(f"{found.verdict[0].upper()}{found.verdict[1:]}.")
    best, empty = found.result.best, found.result.empty
    rows = [("Beam search" if found.beam.finished else "Beam search (cut off)", found.beam_text, found.beam.total)]
    if best is not None and found.text is not None:
        rows.append(("Most probable" if found.result.proven else "Most probable seen", found.text, best.total))
    if math.isfinite(empty):
        rows.append(("Empty", "", empty))
    frame = pd.DataFrame(
        [(name, text or "(nothing)", round(total, 3), _probability(total)) for name, text, total in rows],
        columns=["", "translation", "log p", "probability"],
    )
    st.dataframe(frame, hide_index=True, width="stretch", key="exact", alt="Translations and their probabilities")
    st.caption(
        f"{found.result.nodes:,} hypotheses extended in {number(found.result.seconds)} s. "
        "No length penalty counts here."
    )


def _probability(total: float) -> str:
    return f"{math.exp(total):.3g}"


def _mbr(found: "Mbr", first: Lane) -> None:
    """The choice, all translations, and how alike they are."""
    drawn = sum(found.counts)
    beam = first.record.text if first.record else ""
    place = found.texts.index(beam) + 1 if beam in found.texts else None
    st.text(f"Most like all {drawn} samples: {found.text or '(nothing)'}")
    st.text(
        f"Beam search: {beam or '(nothing)'} "
        + (f"(number {place} of {len(found.texts)})" if place else "(was never drawn)")
    )
    frame = pd.DataFrame(
        {
            "translation": [text or "(nothing)" for text in found.texts],
            "drawn": found.counts,
            "log p": [round(value, 3) for value in found.log_probs],
            "expected utility": found.expected.round(1),
        }
    )
    frame.index = pd.RangeIndex(1, len(frame) + 1)
    st.dataframe(frame, width="stretch", key="mbr", alt="Samples, best expected utility first")
    measure = LIKENESS_LABELS[found.utility] + (f", tokeniser {found.tokens.name}" if found.tokens else "")
    st.markdown(
        f"**Utility** ({measure}, 0 to 100): row = the translation that is judged, "
        "column = the one that stands for the reference"
    )
    if found.tokens and found.tokens.note:
        st.caption(found.tokens.note)
    with st.container(horizontal=True):
        st.image(
            thumbnail(found.utilities / 100),
            alt=f"Utilities of {len(found.texts)} × {len(found.texts)} translations; the darker, the more alike",
        )
        part = pd.DataFrame(found.utilities[:SHOWN, :SHOWN].round(0).astype(int))
        part.index = part.columns = [str(place + 1) for place in range(len(part))]
        st.dataframe(part, width="content", key="utilities", alt=f"Utilities of the first {len(part)} translations")
