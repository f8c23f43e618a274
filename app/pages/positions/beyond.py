"""The worked example: what is lost beyond the trained length, by sinusoidal and by learned positions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from headscope.analysis.positions.jobs import CAP, Job, job_list
from headscope.analysis.positions.verdict import ENOUGH
from headscope.app.view import controls, session
from headscope.app.view.tables import small_table
from headscope.app.wire import experiment_charts as charts
from headscope.app.wire.chart import Chart
from headscope.app.workbench import positions, studies

if TYPE_CHECKING:
    from headscope.analysis.positions.experiment import JobResult
    from headscope.analysis.positions.verdict import CellMean, Contrast
    from headscope.app.workbench.studies import Experiment

NONE = (
    "No results of the experiment are installed. Whoever runs this server can make them, as the README says: "
    "one small file for each training."
)
FINDING_LABELS = {
    "lost": "Lost by short training",
    "length": "Loss by length",
    "position": "Loss by position",
    "moved": "Further on",
    "schemes": "Every scheme",
}
TABLES = {"lost": ("natural", "joined"), "moved": ("offset",)}
"""Differences that stand as a table above these charts; above the others stand the trainings."""
PLACES = {"natural": "as they come", "joined": "short ones joined", "offset": "moved"}
SAID = {None: "too few seeds", True: "apart", False: "not apart"}


def choices() -> None:
    """What is shown of it."""
    controls.one_of("Shown", FINDING_LABELS, "positions.finding")


def experiment_charts(found: "Experiment", names: Sequence[str], finding: str) -> list[list[Chart]]:
    """The charts of what is shown, in rows, as far as there are results for them."""
    bench, of, both = session.workbench(), {each.condition for each in found.contrasts}, ("natural", "joined")
    if finding == "lost" and "natural" in of:
        return [[charts.gaps(found.contrasts, each) for each in both]]
    if finding == "length" and found.means:
        return [[charts.by_length(found.means, each) for each in both]]
    if finding == "position" and found.results:
        return [[charts.by_position(found.results, each) for each in both]]
    if finding == "moved" and "offset" in of:
        return [[charts.gaps(found.contrasts, "offset")]]
    if finding != "schemes":
        return []
    row = [charts.schemes(found.schemes)] if found.schemes else []
    kept = {name: study.length.natural.bins for name in names if (study := studies.positions(bench, name))}
    if kept:
        name, bins = next(iter(kept.items()))
        row.append(charts.shipped(kept, positions.trained(bench, name, bins[-1].high)))
    return [row] if row else []


def said(found: "Experiment", finding: str) -> None:
    """The verdict, how the models were trained, and the numbers of what is shown."""
    if not found.results:
        st.markdown(NONE)
        return
    st.markdown(f"**{verdict(found.contrasts)}**")
    st.text(of_schemes(found.schemes))
    if left := missing(found.results):
        st.text(f"Not here yet, of the list of {len(job_list(ENOUGH))}: {', '.join(left)}.")
    own = [each for each in found.contrasts if each.condition in TABLES.get(finding, ())]
    if own:
        small_table(_gaps(own), alt="What is lost, with intervals")
    elif finding not in TABLES:
        small_table(_runs(found.results), alt="The trainings")
    first, count = found.results[0], len(found.results)
    st.caption(
        f"{count} {'training' if count == 1 else 'trainings'} of tiny models on {first.data.get('name', 'one text')}, "
        f"of {first.recipe.get('steps', 0):,} updates each; at most {CAP} pieces a side in the short ones. "
        "All read the same test sentences. Loss: nats a piece, without the end of sentence. Below a chart, its "
        f"positions: “short”, what short training has seen of them on either side, all of the first {CAP} and none "
        "beyond; below that of the checkpoints in view, how often these were trained."
    )


def verdict(contrasts: "Sequence[Contrast]") -> str:
    """What the intervals allow to be said of the two kinds, and no more."""
    kinds = [each for each in contrasts if each.what == "kinds"]
    if not kinds:
        return "No verdict is possible: no seed has all of its four models yet."
    seeds = kinds[0].seeds
    if all(each.apart is None for each in kinds):
        counted = "1 seed" if seeds == 1 else f"{seeds} seeds"
        return f"No verdict is possible: {counted} cannot tell the kinds of positions from two trainings of one kind."
    told = []
    for condition, name in PLACES.items():
        own = [each for each in kinds if each.condition == condition and _beyond(each)]
        if not own:
            continue
        more, less = (sum(each.apart is True and sign * each.value > 0 for each in own) for sign in (1, -1))
        told.append(
            f"sentences {name}: learned positions lose more in {more} of {len(own)} places, less in {less}, and are "
            f"not apart in {len(own) - more - less}"
        )
    return f"Of {seeds} seeds, beyond 8 pieces, {'; '.join(told)}. Not apart is not equal."


def of_schemes(schemes: "Sequence[CellMean]") -> str:
    """What may be said of the further schemes: how the loss goes from the trained lengths to the longest ones."""
    if not schemes:
        return "No other scheme has been trained yet, or none beside both kinds with the same seed."
    told, seeds = [], len(schemes[0].by_seed)
    for kind in dict.fromkeys(each.positions for each in schemes):
        own = [each for each in schemes if each.positions == kind and each.condition == "natural"]
        short, long = ([each for each in own if (each.low > CAP) == beyond] for beyond in (False, True))
        if short and long:
            last = long[-1]
            told.append(f"{kind} {short[0].value:.2f} → {last.value:.2f} ({last.low}–{last.high} pieces)")
    return (
        f"All schemes, {seeds} {'training' if seeds == 1 else 'trainings'} each, loss within {CAP} pieces and in the "
        f"longest sentences: {'; '.join(told)}. Longer sentences are harder for every model, and fewer than {ENOUGH} "
        "trainings each put no difference down to a scheme."
    )


def missing(results: "Sequence[JobResult]") -> list[str]:
    """The trainings of the list that have no result."""
    done = {Job(each.positions, each.cap, each.seed) for each in results}
    return [job.name for job in job_list(ENOUGH) if job not in done]


def _beyond(each: "Contrast") -> bool:
    return each.low > 8 or (each.condition == "offset" and each.low > 0)


def _gaps(contrasts: "Sequence[Contrast]") -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "sentences": PLACES[each.condition],
                "place": f"from {each.low}" if each.condition == "offset" else f"{each.low}–{each.high} pieces",
                "what": "learned minus sinusoidal" if each.what == "kinds" else f"lost by {each.what}",
                "nats a piece": f"{each.value:+.3f} ± {each.interval:.3f}",
                "seeds": each.seeds,
                "from 0": SAID[each.apart],
            }
            for each in contrasts
        ]
    )


def _runs(results: "Sequence[JobResult]") -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "training": each.name,
                "pairs": each.pairs,
                "target tokens": each.tokens,
                "minutes": round(each.seconds / 60, 1),
                "development loss": each.validations[-1].nll if each.validations else None,
            }
            | {
                f"BLEU {bin.low}–{bin.high}": round(bin.free.bleu.value, 1) if bin.free else None
                for bin in each.study.natural.bins
            }
            for each in results
        ]
    )
