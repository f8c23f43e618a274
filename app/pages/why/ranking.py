"""Which method a corpus speaks for, with the intervals that say how sure that is."""

from typing import TYPE_CHECKING

import streamlit as st

from headscope.app.view import session
from headscope.app.view.charts import COLOURS
from headscope.app.view.frame import Picture
from headscope.app.wire.encoding import number
from headscope.app.workbench import studies

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from headscope.analysis.corpus.faithfulness_study import Estimate, FaithfulnessStudy

NONE = (
    "No ranking of methods over a corpus lies with this checkpoint, and one sentence ranks none. Whoever runs this "
    "server can make one, as the README says; then it stands here."
)
NAMED = 3
"""Methods that cannot be told from the first are named as long as they are few."""


def ranking(picture: Picture) -> None:
    """Draw the ranking that lies with the checkpoint, and say what it allows to say."""
    found = studies.faithfulness(session.workbench(), picture.sentence.checkpoint)
    if found is None:
        st.markdown(NONE)
        return
    st.markdown("**Over a corpus**")
    st.plotly_chart(_bars(found), key="ranking", alt=f"Gain of each method over random orders. {trusted(found)}")
    st.text(trusted(found))
    steps = "" if found.steps is None else f" Integrals take {found.steps} steps."
    st.caption(
        "How much more is lost than in random orders when source tokens are masked in a method's order, with the 95 % "
        f"interval by bootstrap over sources, each by itself.{steps} Feature ablation takes tokens away just as this "
        "measure does, which favours it."
    )
    st.text(
        f"{found.sentences:,} sentences, {found.sources:,} of them different: {found.data}. {found.licence}; "
        f"attribution: {found.attribution}."
    )


def trusted(found: "FaithfulnessStudy") -> str:
    """Which method is to be trusted most, and why: no more than the intervals allow."""
    first, tied = found.methods[0], found.tied
    gain, over = _told(first.comprehensiveness), f"over {found.sentences:,} sentences"
    if not found.better_than_random:
        return f"This page trusts no method here: {over} none is clearly better than random orders ({gain} at best)."
    if tied:
        names = ", ".join(each.name for each in tied) if len(tied) <= NAMED else f"{len(tied)} others"
        return (
            f"No method is clearly ahead: {over} most is lost in the order of {first.name}, {gain} more than in random "
            f"orders, but {names} cannot be told from it."
        )
    if len(found.methods) == 1:
        return f"{first.name} alone was measured: {over} it is better than random orders by {gain}."
    least = min(found.methods[1:], key=lambda each: each.lead.mean)
    return (
        f"This page trusts {first.name} most: {over} more is lost in its order than in that of any other method, "
        f"{_told(least.lead)} more than of {least.name}, the next."
    )


def _told(estimate: "Estimate") -> str:
    return f"{number(estimate.mean)} nats [{number(estimate.low)}, {number(estimate.high)}]"


def _bars(found: "FaithfulnessStudy") -> "Figure":
    from plotly.graph_objects import Figure

    gains = [each.comprehensiveness for each in found.methods]
    figure = Figure()
    figure.add_scatter(
        x=[gain.mean for gain in gains],
        y=[each.name for each in found.methods],
        error_x={
            "type": "data",
            "array": [gain.high - gain.mean for gain in gains],
            "arrayminus": [gain.mean - gain.low for gain in gains],
        },
        mode="markers",
        marker={"color": COLOURS[0], "size": 8},
        hovertemplate="%{y}: %{x:.3f} nats<extra></extra>",
    )
    figure.add_vline(x=0, line={"color": "#888888", "dash": "dot"})
    figure.update_xaxes(title_text="more than in random orders, nats")
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(height=320, margin={"t": 8, "b": 8, "l": 8, "r": 8}, showlegend=False)
    return figure
