"""Ablations: what one change makes of a small model, with intervals over seeds, beside what the paper found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from headscope.analysis.experiments.differences import MEASURES
from headscope.analysis.experiments.grids import GRIDS
from headscope.app.view import controls, presenter, session
from headscope.app.view.charts import draw_charts
from headscope.app.view.frame import problem
from headscope.app.wire.ablation_charts import differences_chart, paper_difference
from headscope.app.workbench import studies
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.experiments.ablation import AblationResult
    from headscope.analysis.experiments.differences import Measure, RowSummary

NONE = (
    "No results of ablations are installed. Whoever runs this server can make them, as the README says: one small file "
    "for each training, visible here as `ablations/NAME/results` beside the checkpoints that ship."
)
BUDGET = (
    "All rows of a grid have the same number of updates, of as many tokens each, from the same text in the same order. "
    "That is an equal budget of text, not of computing: larger rows take more floating-point operations and seconds, "
    "which stand in the table, and with more updates rows may come to stand in another order."
)
SEEDS = (
    "A difference is taken within a seed, row minus base, and its interval is Student's t over the seeds: what other "
    "seeds would give, on the same text and the same test lines. One seed has no interval, and proves nothing. "
    "“Not apart from 0” is not “equal”."
)
PAPER = (
    "The paper's differences are of its base model on another text (newstest2013, English to German, 100,000 updates, "
    "one training a row), for the row that is as many times its base's (half the width, twice the heads): compare "
    "their direction, never a figure. Where there is none, the paper has no such row."
)
SAID = {None: "one seed: no interval", True: "apart", False: "not apart"}


def grid_of(rows: "Sequence[RowSummary]", measure: "Measure") -> None:
    """The chart, what a warning says, and the table."""
    base = rows[0]
    if not base.seeds:
        st.markdown("The base row of this grid has no result here yet, so there are no differences.")
    elif not any(measure in each.differences for each in rows):
        st.markdown("No row of this grid has a seed in common with the base row here yet.")
    else:
        draw_charts([differences_chart(rows, measure)], key="differences", large=session.view().present)
    for each in rows:
        if each.row.warning and each.seeds:
            st.warning(f"“{each.row.what}” is {each.row.warning}.", icon=":material/warning:")
    alt = "Rows, differences and cost"
    st.dataframe(_table(rows, measure), hide_index=True, key="ablation-rows", alt=alt)


def trained(results: "Sequence[AblationResult]") -> None:
    """How the rows were trained, in a line."""
    first = results[0]
    name, tokens = first.data.get("name", "one text"), first.recipe.get("batch_tokens", 0)
    st.caption(
        f"{len(results)} trainings here of the size tiny on {name}, {first.updates:,} updates each of at most "
        f"{tokens:,} padded tokens a side. Weights are those with the lowest development loss, of the last three "
        "validations or of one; beam search as in the paper."
    )


def _table(rows: "Sequence[RowSummary]", measure: "Measure") -> pd.DataFrame:
    digits = 3 if measure == "dev_nll" else 1
    made = []
    for each in rows:
        apart, paper = each.differences.get(measure), paper_difference(each, measure)
        value = "–"
        if apart is not None:
            interval = "" if apart.interval is None else f" ± {apart.interval:.{digits}f}"
            value = f"{apart.value:+.{digits}f}{interval}"
        mean = each.means.get(measure)
        made.append(
            {
                "row": each.row.what + (" (a cheat)" if each.row.warning else ""),
                "seeds": len(each.seeds),
                "mean": None if mean is None else f"{mean:.{digits}f}",
                "difference": value,
                "from 0": SAID[apart.apart] if apart else "–",
                "paper": "–" if paper is None else f"{paper:+.{digits}f}",
                "parameters": each.parameters,
                "operations (10¹²)": None if each.flops is None else round(each.flops / 1e12, 1),
                "seconds": None if each.seconds is None else round(each.seconds),
            }
        )
    return pd.DataFrame(made)


st.title("What does each part give?", anchor=False)
bench, state = session.workbench(), session.view().ablations
texts = studies.ablated_texts()
if not texts:
    st.markdown(NONE)
else:
    text = state.text if state.text in texts else texts[0]
    if not session.view().present:
        with st.container(horizontal=True, vertical_alignment="bottom", key="settings"):
            controls.one_of("Grid", {name: name.replace("-", " ") for name in GRIDS}, "ablations.grid")
            controls.one_of("Measure", dict(MEASURES), "ablations.measure")
            if len(texts) > 1:
                st.selectbox("Text", texts, **session.control("ablations.text", text))
    chosen = GRIDS[state.grid]
    st.markdown(f"**{chosen.question}**")
    try:
        found = studies.ablations(bench, text, state.grid)
    except HeadscopeError as error:
        problem(error)
    else:
        grid_of(found.rows, state.measure)
        if found.results:
            trained(found.results)
    silent = f" This grid does not show {chosen.silent}." if chosen.silent else ""
    st.markdown(
        f"What it does not show: other sizes, other texts and longer training, or sentences of another kind.{silent}"
    )
if session.view().present:
    presenter.listen(())
controls.how_to_read(
    f"{BUDGET} {SEEDS} {PAPER}",
    source="Vaswani et al. 2017, Table 3, and rows that it leaves out.",
)
