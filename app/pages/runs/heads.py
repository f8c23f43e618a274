"""A head of a run on the development line that is followed: where it looked at each snapshot."""

import streamlit as st

from headscope.app.pages.runs.said import sentence
from headscope.app.view import session
from headscope.app.view.charts import draw_charts
from headscope.app.wire.chart import Axis, Chart, Grid
from headscope.app.workbench.training import Training
from headscope.model.errors import HeadscopeError
from headscope.model.training.runs import Run

NEWEST = -1


def heads(training: Training, run: Run, source: str) -> None:
    """The map of the chosen head of the chosen snapshot, the newest unless another one is chosen."""
    steps = training.watched(run)
    if not steps:
        return
    view = session.view().runs
    step = view.step if view.step in steps else steps[-1]
    try:
        found = training.head(run, step, source, view.head)
        others = training.heads(run)
    except HeadscopeError as error:
        st.text(sentence(error.on_pages))
        return
    if found is None:
        st.text("The attention of this line is not kept: that of the first lines is.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Head", others, format_func=str, **session.control("runs.head", found.head, place="watched"))
        st.selectbox(
            "At update",
            [NEWEST, *steps],
            format_func=lambda each: f"the newest, {steps[-1]:,}" if each == NEWEST else f"{each:,}",
            **session.control(
                "runs.step",
                view.step if view.step in steps else NEWEST,
                clean=lambda each: None if each == NEWEST else each,
                place="watched",
            ),
        )
    chart = Chart(
        f"{str(found.head).capitalize()} at update {step:,}, reading the reference",
        Axis("looked at", names=found.keys),
        Axis("looks", names=found.queries, down=True),
        grid=Grid(found.weights, "weight", most=1.0, signed=False),
    )
    draw_charts([chart], key="runs-head", large=session.view().present)
