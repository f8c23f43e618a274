"""Trainings on this machine: started here, watched, stopped, gone on with, and made into checkpoints."""

import streamlit as st

from headscope.app.pages.runs import acts, begin, said, watch
from headscope.app.server import may_train
from headscope.app.view import controls, presenter, session
from headscope.app.view.frame import problem
from headscope.app.view.runs_state import MOST_SHOWN
from headscope.app.workbench.training import Training
from headscope.model.errors import HeadscopeError
from headscope.model.training.runs import Run

CLOSED = (
    "This server can be reached from other machines, so nothing is trained here. Whoever runs it can allow it "
    "when it is started, as the README says."
)


def table(found: list[Run]) -> None:
    """All runs, a line each."""
    rows = [
        {
            "run": run.name,
            "": run.condition,
            "update": run.status.step,
            "of": run.status.steps,
            "text": run.about.get("data", {}).get("name", ""),
            "device": run.request.device if run.request else run.about.get("device", ""),
        }
        for run in found
    ]
    st.dataframe(rows, hide_index=True, key="runs-table", alt="All runs of this server and how each stands")


def page(training: Training) -> None:
    """Everything below the title."""
    found = training.all_runs()
    names = [run.name for run in found]
    present = session.view().present
    if not present:
        begin.begin(training, unfolded=not found)
    said.told()
    if not found:
        return
    shown = [run for name in session.view().runs.shown for run in found if run.name == name] or found[:1]
    if not present:
        st.multiselect(
            "Runs shown",
            names,
            max_selections=MOST_SHOWN,
            **session.control("runs.shown", [run.name for run in shown], clean=tuple),
        )
        acts.acts(training, shown[0])
    watch.watch(training, shown, poll=any(run.live for run in found))
    if not present and len(found) > 1:
        with st.expander("All runs", key="runs-all"):
            table(found)


st.title("What is being trained?", anchor=False)
if may_train():
    try:
        page(session.training())
    except HeadscopeError as error:
        problem(error)
else:
    st.text(CLOSED)
if session.view().present:
    presenter.listen(())
controls.how_to_read(
    "A run is a process of its own: it goes on when this page is closed or the server ends, and the page finds it. "
    "Curves of training are means over the updates since the last point, with dropout; those of development lines are "
    "without, on sentences that nothing is learned from. "
    "Development lines are translated greedily, so scores of beam search come out higher.",
    source="Gradient norm: Euclidean, over all weights, of the mean loss a piece, before it is clipped.",
)
