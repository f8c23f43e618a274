"""Two checkpoints compared: what they translate, by paired bootstrap, and their heads, matched, beside the null."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from headscope.analysis.positions import jobs
from headscope.app.view import session
from headscope.app.view.frame import problem
from headscope.app.view.state import View
from headscope.app.view.tables import small_table
from headscope.app.view.working import long_work
from headscope.app.wire.axes import NAMES
from headscope.app.wire.chart import Chart
from headscope.app.wire.position_study_charts import MATCHED, matched
from headscope.app.workbench import position_corpus, positions, studies
from headscope.app.workbench.position_corpus import Measured
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.positions.comparison import Comparison
    from headscope.analysis.positions.matching import Verdict

NO_NULL = (
    "Nothing here is put down to positions: how far apart two trainings of one kind with other seeds are was not "
    "measured, and without it no match counts as more than chance. Whoever runs this server can measure it, as the "
    "README says, where there is another training of a kind."
)
SMALL = (
    "The experiment's models are smaller (width 128), so this is no measure for the ones above. Here are "
    "sinusoidal and learned twins of one seed, beside trainings of the first one's kind with other seeds. Twins begin "
    "with the same values, two seeds do not."
)
OUTSIDE = {True: "further apart", False: "no further apart", None: "not known"}


@dataclass(frozen=True, slots=True)
class Together:
    """Two checkpoints, and what was found."""

    first: str
    second: str
    measured: "Measured[Comparison]"


def found(first: str, second: str | None) -> Together | None:
    """What there is of the two; None: there are no two, or the visitor has stopped the work, or why not is said."""
    if second is None:
        return None
    bench = session.workbench()
    try:
        measured = long_work(
            ("compared", first, second),
            "Translates with both and matches their heads",
            lambda bar: position_corpus.comparison(bench, first, second, lambda: studies.examples(bench, first), bar),
        )
    except HeadscopeError as error:
        problem(error)
        return None
    return measured and Together(first, second, measured)


def charts(both: Together, view: View) -> list[list[Chart]]:
    """The heads of the kind in view."""
    of_kind = [
        (matching, verdict)
        for matching, verdict in zip(both.measured.value.matchings, both.measured.value.verdicts, strict=True)
        if matching.kind == view.kind
    ]
    if not of_kind:
        return []
    matchings, verdicts = zip(*of_kind, strict=True)
    seen = positions.trained(session.workbench(), both.first, view.positions.length)
    title = f"{NAMES[view.kind]}: heads of {both.first}, each with its match in {both.second}"
    return [[matched(title, matchings, verdicts, seen)]]


def below(both: Together, view: View) -> None:
    """Numbers as tables, and what they allow to be said."""
    comparison = both.measured.value
    small_table(_scores(both), alt="BLEU and chrF of both")
    if comparison.unmatched:
        st.text(f"No heads are matched: {comparison.unmatched}.")
    elif not any(verdict.null for verdict in comparison.verdicts):
        st.markdown(NO_NULL)
        _small()
    if comparison.matchings:
        small_table(_kinds(comparison), alt="How far matched heads are apart")
        small_table(_heads(both, view), alt="Which head was matched with which")
    st.caption(f"{comparison.sentences:,} sentences: {both.measured.corpus}.")


def _small() -> None:
    """The same of the experiment's models, which have been trained with several seeds, where that was measured."""
    try:
        found = studies.matched_trainings(session.workbench(), jobs.KEPT.parent)
    except HeadscopeError as error:
        problem(error)
        return
    if not found:
        return
    st.text(SMALL)
    rows = [
        {
            "heads": NAMES[each.kind],
            "matched": MATCHED[each.across],
            "twins": f"{each.mean:.4f} ± {each.interval:.4f}",
            "two trainings of one kind": ", ".join(f"{value:.4f}" for value in each.null) or "not measured",
            "than those, the twins are": OUTSIDE[each.mean > max(each.null) if each.null else None],
        }
        for each in found
    ]
    small_table(pd.DataFrame(rows), alt="The same of the experiment's models")


def _scores(both: Together) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "metric": each.metric,
                both.first: f"{each.a:.1f} ± {each.a_interval:.1f}",
                both.second: f"{each.b:.1f} ± {each.b_interval:.1f}",
                "difference": f"{each.a - each.b:+.1f}",
                "p, paired bootstrap": f"{each.p:.3f}",
            }
            for each in both.measured.value.scores
        ]
    )


def _kinds(comparison: "Comparison") -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "heads": NAMES[matching.kind],
                "matched": MATCHED[matching.across],
                "mean divergence": f"{matching.mean:.4f} ± {matching.interval:.4f}",
                "two trainings of one kind": _null(verdict),
                "than those, these are": OUTSIDE[verdict.outside],
            }
            for matching, verdict in zip(comparison.matchings, comparison.verdicts, strict=True)
        ]
    )


def _null(verdict: "Verdict") -> str:
    return ", ".join(f"{value:.4f}" for value in verdict.null) or "not measured"


def _heads(both: Together, view: View) -> pd.DataFrame:
    """A row a head of the kind in view, and its match of either sort."""
    of_kind = {each.across: each for each in both.measured.value.matchings if each.kind == view.kind}
    rows = {
        across: {str(match.a): (str(match.b), round(match.divergence, 4)) for match in each.matches}
        for across, each in of_kind.items()
    }
    heads = dict.fromkeys(name for found in rows.values() for name in found)
    return pd.DataFrame(
        [
            {both.first: head}
            | {
                name: value
                for across, found in rows.items()
                for name, value in zip(
                    (f"{both.second}, {MATCHED[across]}", f"divergence, {MATCHED[across]}"),
                    found.get(head, ("", None)),
                    strict=True,
                )
            }
            for head in heads
        ]
    )
