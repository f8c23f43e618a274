"""How far methods can be trusted in this sentence: what is lost when tokens are taken away in their order."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from headscope.app.pages.why.ranking import ranking
from headscope.app.view import session
from headscope.app.view.charts import COLOURS, DASHES
from headscope.app.view.frame import Picture
from headscope.app.view.working import long_work
from headscope.app.wire.encoding import number
from headscope.app.workbench import attributions

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from headscope.analysis.attribution.faithfulness import Faithfulness


def trust(picture: Picture, method: str) -> None:
    """Draw the curves of the cheap methods and of the one that is shown, and say which does best here."""
    from headscope.analysis.attribution.registry import METHODS

    quick = [name for name, each in METHODS.items() if each.cost == "one pass"]
    methods = tuple(dict.fromkeys([method, *quick]))
    bench, asked = session.workbench(), picture.sentence
    found = long_work(
        ("faithfulness", asked, methods),
        "Takes tokens away",
        lambda bar: attributions.trusted(bench, asked, methods, progress=bar),
    )
    if found is None:
        return
    of_sentence, over_corpus = st.columns(2)
    with over_corpus:
        ranking(picture)
    with of_sentence:
        _sentence(found)


def _sentence(found: "Faithfulness") -> None:
    st.markdown("**In this sentence**")
    st.plotly_chart(_curves(found), key="faithfulness", alt="What is lost when source tokens are taken away")
    rows = [
        f"| {name} | {number(float(lost))} | {number(float(left))} | {gain:.0%} |"
        for name, lost, left, (gain, _) in zip(
            found.methods, found.comprehensiveness, found.sufficiency, found.beaten, strict=True
        )
    ]
    head = "| Method | Comprehensiveness, nats | Sufficiency, nats | Random orders beaten in the first |"
    st.markdown("\n".join([head, "| --- | ---: | ---: | ---: |", *rows]))
    st.caption(verdict(found))


def verdict(found: "Faithfulness") -> str:
    """Which method did best in this sentence, and how little one sentence says."""
    best = int(found.comprehensiveness.argmax())
    beaten, orders = float(found.beaten[best, 0]), len(found.random_without)
    said = f"In this sentence {found.methods[best]} does best: most is lost when source tokens go in its order"
    said += f", more than in {beaten:.0%} of {orders} random orders. "
    return said + "Tokens are masked, source alone. One sentence is an anecdote: it ranks no methods."


def _curves(found: "Faithfulness") -> "Figure":
    from plotly.graph_objects import Figure

    figure, shares = Figure(), [0.0, *found.shares.tolist()]
    for at, (name, lost) in enumerate(zip(found.methods, found.without, strict=True)):
        line = {"color": COLOURS[at % len(COLOURS)], "dash": DASHES[at % len(DASHES)]}
        figure.add_scatter(x=shares, y=[0.0, *lost.tolist()], name=name, mode="lines", line=line)
    low, middle, high = np.quantile(found.random_without, [0.05, 0.5, 0.95], axis=0)
    bars = {"type": "data", "array": [0.0, *(high - middle)], "arrayminus": [0.0, *(middle - low)], "thickness": 1}
    grey = {"color": "#888888", "dash": "dot"}
    figure.add_scatter(
        x=shares, y=[0.0, *middle.tolist()], error_y=bars, name="random orders, 5 % to 95 %", mode="lines", line=grey
    )
    figure.update_xaxes(title_text="share of the source taken away", range=[0, 1.02])
    figure.update_yaxes(title_text="lost, nats")
    figure.update_layout(height=320, margin={"t": 8, "b": 8, "l": 8, "r": 8}, legend={"orientation": "h", "y": 1.2})
    return figure
