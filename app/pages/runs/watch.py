"""What a run does while it does it: how far it is, curves, and translations of development lines."""

import time
from collections.abc import Sequence

import streamlit as st

from headscope.app.pages.runs.heads import heads
from headscope.app.pages.runs.said import sentence
from headscope.app.view import session
from headscope.app.view.charts import draw_charts
from headscope.app.view.controls import literal
from headscope.app.wire import run_charts
from headscope.app.wire.encoding import number
from headscope.app.workbench.training import Training, free_bytes
from headscope.model.training.runs import Run
from headscope.model.training.turns import ahead

EVERY = 3
"""Seconds between two looks, while anything runs."""
MOST_SPIKES = 3
SCARCE = 2**30
"""Bytes of room on the disk below which it is said."""


def watch(training: Training, shown: Sequence[Run], *, poll: bool) -> None:
    """Some runs.

    Args:
        poll: something runs, so that looking again may show something else.
    """

    def now() -> dict[str, tuple[str, bool, int]]:
        """What stands outside of the part that is drawn anew goes by this."""
        found = training.all_runs()
        return {run.name: (run.condition, training.has_samples(run), len(training.watched(run))) for run in found}

    before, names = now(), [run.name for run in shown]
    lines = _lines(training, shown[0])
    at = min(session.view().runs.sample, len(lines) - 1) if lines else None

    def look() -> None:
        if now() != before:
            st.rerun()
        found = {run.name: run for run in training.all_runs()}
        _draw(training, [found[name] for name in names], at)

    st.fragment(look, run_every=EVERY if poll else None, key="watch")()
    if at is not None:
        st.selectbox(
            "Development line",
            range(len(lines)),
            format_func=lines.__getitem__,
            **session.control("runs.sample", at),
        )
        heads(training, shown[0], lines[at])


def _draw(training: Training, found: Sequence[Run], at: int | None) -> None:
    rows = {run.name: training.rows(run) for run in found}
    for number_, run in enumerate(found):
        with st.container(key=f"run-{number_}"):
            _state(run, rows[run.name])
    large = session.view().present
    draw_charts(run_charts.charts(run_charts.MAIN, rows), key="runs", large=large)
    if at is not None:
        _samples(training, found[0], at)
    with st.expander("More curves", key="runs-more", on_change="rerun") as more:
        if more.open:
            draw_charts(run_charts.charts(run_charts.MORE, rows), key="runs-more", large=large)


def _state(run: Run, rows: Sequence[run_charts.Row]) -> None:
    """How a run stands, in a line and a bar."""
    status = run.status
    words = [run.name, run.condition]
    if run.condition == "waiting" and run.request:
        others = ahead(run.path, run.request)
        words[-1] = f"waits for {', '.join(others)}" if others else "starting"
    elif status.steps:
        words.append(f"update {status.step:,} of {status.steps:,}")
    if run.condition == "running":
        left = run_charts.remaining(rows, status.step, status.steps, time.time)
        words.append("time left: not known yet" if left is None else f"{run_charts.duration(left)} left")
    if newest := run_charts.last(rows, "update"):
        words.append(f"{newest['tokens_per_second']:,.0f} target pieces/s")
        if "memory" in newest:
            words.append(f"{number(newest['memory'] / 2**30)} GiB")
    st.text(" · ".join(words))
    if status.steps:
        st.progress(min(1.0, status.step / status.steps))
    if run.condition in ("crashed", "killed", "disk full"):
        st.error(
            literal(f"{sentence(status.message)} Resume goes on from the last validation."), icon=":material/error:"
        )
    for step, norm, times in run_charts.spikes(rows)[-MOST_SPIKES:]:
        st.text(f"Update {step:,}: the gradient was {number(norm)} long, {times:.0f} times as long as usual before.")
    if run.live and (free := free_bytes(run.path)) < SCARCE:
        st.text(f"Only {number(free / 2**20)} MiB are free on the disk.")


def _lines(training: Training, run: Run) -> list[str]:
    """The development lines that are followed; none before they are first translated."""
    found = training.samples(run)
    return [source for source, _, _ in found[-1]["samples"]] if found else []


def _samples(training: Training, run: Run, at: int) -> None:
    """How a development line was translated at each validation, the newest first."""
    found = [row for row in training.samples(run) if at < len(row["samples"])]
    if not found:
        return
    source, reference, _ = found[-1]["samples"][at]
    st.text(f"{source}\nReference: {reference}")
    rows = [{"update": row["step"], "translation": row["samples"][at][2]} for row in reversed(found)]
    st.dataframe(
        rows,
        hide_index=True,
        key="runs-samples",
        height=220,
        column_config={"update": st.column_config.NumberColumn(width="small")},
        alt=f"Translations of: {source}",
    )
