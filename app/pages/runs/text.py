"""Which text to train on: a prepared one, one that a visitor hands in, or a folder; and what is in it."""

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from headscope.app.pages.runs.said import do, sentence
from headscope.app.view.charts import draw_charts
from headscope.app.view.working import long_work
from headscope.app.wire.chart import Axis, Chart, Series
from headscope.app.workbench.training import Training
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.data.inspection import TextReport

TEXT, SOURCE = "run-text", "run-source"
"""Keys of the widgets that say which text, and where it comes from."""
SOURCES = ("Prepared", "Your own", "Folder")
NEXT = "run-next"
"""Key of the session's state: the text to be chosen by the next run of the script."""
MOST_MIB = 64


def choose(training: Training) -> Path | None:
    """Which text; None: none yet, and the page says why."""
    if made := st.session_state.pop(NEXT, None):
        st.session_state[TEXT], st.session_state[SOURCE] = made, SOURCES[0]
    source = st.segmented_control("Text", SOURCES, default=SOURCES[0], required=True, key=SOURCE)
    if source == "Your own":
        _upload(training)
        return None
    try:
        if source == "Folder":
            place = st.text_input(f"Folder in {training.places.data.name}", key="run-folder")
            return training.texts.under(place) if place.strip() else None
        texts = training.texts.all()
        if not texts:
            st.text(f"There is no prepared text in {training.places.data.name}: hand one in.")
            return None
        chosen = st.selectbox("Prepared text", list(texts), key=TEXT, label_visibility="collapsed")
        return texts[chosen]
    except HeadscopeError as error:
        st.text(sentence(error.on_pages))
        return None


def _upload(training: Training) -> None:
    files = st.file_uploader(
        "One file of pairs (.tsv, .jsonl, .tmx), or two plain files: the source first",
        accept_multiple_files=True,
        max_upload_size=MOST_MIB,
        key="run-files",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the text", value="mine", key="run-text-name")
        languages = st.text_input("Languages", placeholder="as en,de", key="run-languages")

        wanted = st.button("Take it in", key="run-take", disabled=not files)

    def take() -> str:
        made = training.texts.take_in({file.name: file.getvalue() for file in files}, name, languages)
        st.session_state[NEXT] = made
        return f"{made} is prepared."

    if wanted:
        do(take)
        st.rerun()


def report(training: Training, text: Path) -> "TextReport | None":
    """Look through a text and show what was found; None: the visitor has stopped that."""
    found = long_work(
        ("text", str(text)), f"Looks through {text.name}", lambda progress: training.texts.report(text, progress)
    )
    if found is None:
        return None
    counts = ", ".join(f"{part} {count:,}" for part, count in found.pairs.items())
    st.text(f"{found.name}, {found.languages[0]} to {found.languages[1]}. Pairs: {counts}.")
    for problem in found.problems:
        st.text(sentence(problem))
    if not found.problems:
        st.text("Nothing is doubled, shared with another part, or unusable.")
    with st.expander("First pairs and lengths", key="run-report", on_change="rerun") as details:
        if details.open:
            source, target = ([pair[side] for pair in found.first] for side in (0, 1))
            st.dataframe(
                {found.languages[0]: source, found.languages[1]: target},
                hide_index=True,
                alt="The first training pairs",
            )
            draw_charts([histogram(found)], key="run-lengths")
    return found


def histogram(found: "TextReport") -> Chart:
    """How long the sentences of both sides are."""
    from headscope.model.data.inspection import BINS

    names = [f"{least}–{end - 1}" if end - least > 1 else str(least) for least, end in pairwise(BINS)]
    sides = zip(found.languages, found.lengths, strict=True)
    return Chart(
        f"Length of training sentences (the longest: {found.longest[0]:,} and {found.longest[1]:,} words)",
        Axis("words", names=(*names, f"{BINS[-1]}+")),
        Axis("sentences"),
        series=tuple(Series(side, np.arange(len(BINS)), np.array(counts, dtype=float)) for side, counts in sides),
    )
