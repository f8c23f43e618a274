"""What can be done with a run: stop, resume, take its recipe, make a checkpoint of it, delete it."""

import streamlit as st

from headscope.app.pages.runs.begin import AS, FORM, base_of
from headscope.app.pages.runs.said import do
from headscope.app.pages.runs.text import SOURCE, SOURCES, TEXT
from headscope.app.view import session
from headscope.app.workbench.training import Training
from headscope.model.training.runs import Run


def acts(training: Training, run: Run) -> None:
    """The buttons for one run."""
    name = run.name

    def stop() -> str:
        training.stop(name)
        return f"{name} saves its state and stops."

    def resume() -> str:
        steps = st.session_state.get(f"run-steps-more-{name}") if run.condition == "finished" else None
        training.resume(name, steps=steps)
        return f"{name} goes on."

    def duplicate() -> None:
        st.session_state[AS], st.session_state[FORM] = base_of(name), True
        if run.request:
            text = next((key for key, path in training.texts.all().items() if str(path) == run.request.data), None)
            if text:
                st.session_state[TEXT], st.session_state[SOURCE] = text, SOURCES[0]

    with st.container(horizontal=True, vertical_alignment="bottom", key="run-acts"):
        if run.live:
            st.button("Stop training", key="run-stop", on_click=lambda: do(stop))
        elif run.condition == "finished":
            done = run.status.step
            key = f"run-steps-more-{name}"
            st.number_input("Updates in all", min_value=done + 1, value=2 * max(1, done), step=1000, key=key)
            st.button("Train on", key="run-resume", on_click=lambda: do(resume))
        else:
            st.button("Resume", key="run-resume", type="primary", on_click=lambda: do(resume))
        st.button("Start another like this", key="run-duplicate", on_click=duplicate)
        if not run.live:
            with st.popover("Delete"):
                _delete(training, run)
        with st.popover("Make a checkpoint"):
            _promote(training, run)


def _delete(training: Training, run: Run) -> None:
    def delete() -> str:
        training.delete(run.name)
        session.change(runs=type(session.view().runs)())
        return f"{run.name} is deleted."

    st.text(f"{run.name}, its weights, curves and checkpoint are removed for good.")
    sure = st.checkbox("I am sure", key=f"run-sure-{run.name}")
    st.button("Delete this run", key="run-delete", disabled=not sure, on_click=lambda: do(delete))


def _promote(training: Training, run: Run) -> None:
    shelf = session.shelf()
    if shelf is None:
        st.text("This server was started with single checkpoints. Started with a folder of them, it takes new ones in.")
        return
    kept = training.kept(run)
    finished = (run.path / "checkpoint" / "config.json").exists()
    if not kept and not finished:
        st.text("No weights are kept yet: the first come with the first validation.")
        return
    steps = st.multiselect(
        "Mean of the weights of updates",
        kept,
        default=[] if finished else kept[-1:],
        placeholder="none: the checkpoint it finished with" if finished else "choose some",
        format_func=lambda step: f"{step:,}",
        key=f"run-average-{run.name}",
    )
    to = st.text_input("Name of the checkpoint", value=run.name, key=f"run-promote-name-{run.name}")

    def promote() -> str:
        made = training.promote(session.workbench(), shelf, run.name, to, sorted(steps))
        session.change(checkpoint=made)
        return f"{made} is a checkpoint of this server now, and in use on all pages."

    if st.button("Make it", key="run-promote", disabled=not (steps or finished)):
        do(promote)
        st.rerun()
