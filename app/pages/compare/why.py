"""Why every model says what it is made to read, by one method, side by side."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from headscope.analysis.measures.deciding import deciding_query
from headscope.app.components.why.why import WHY
from headscope.app.pages.compare.sides import Side
from headscope.app.pages.compare.translations import figures, whose
from headscope.app.pages.why.shaded import shaded
from headscope.app.view import session
from headscope.app.view.draw import draw
from headscope.app.view.frame import Picture
from headscope.app.view.state import View
from headscope.app.view.working import long_work
from headscope.app.wire.attribution_charts import attribution_charts
from headscope.app.wire.chart import Chart
from headscope.app.wire.why import why
from headscope.app.workbench import attributions, comparing, sentences
from headscope.model.errors import HeadscopeError


def show(picture: Picture, sides: Sequence[Side], view: View) -> None:
    """All of it."""
    from headscope.analysis.attribution.registry import DEFAULT, METHODS

    bench = session.workbench()
    method = view.why.method if view.why.method in METHODS else "integrated gradients"
    if not view.present:
        with st.container(width=240):
            st.selectbox(
                "Method",
                list(METHODS),
                format_func=lambda name: f"{name[:1].upper()}{name[1:]}",
                **session.control("why.method", method),
            )
    owner = whose(sides, view)
    first = comparing.as_read(bench, sides[0].sentence, owner.sentence)
    row = deciding_query(sentences.read(bench, first).maps, "cross")
    if view.pin and view.pin.side == "output":
        row = view.pin.index
    charts: list[Chart] = []
    with st.container(horizontal=True, key="maps why"):
        for side in sides:
            with st.container():
                st.text(side.name)
                try:
                    asked = comparing.as_read(bench, side.sentence, owner.sentence)
                    found = long_work(
                        ("why", asked, method),
                        f"{side.letter}: attributes by {method}",
                        lambda bar, asked=asked: attributions.attribution(bench, asked, method, DEFAULT, progress=bar),
                    )
                except HeadscopeError as error:
                    st.text(f"{side.letter} is left out: {error}.")
                    continue
                if found is None:
                    continue
                shown = found.words() if view.unit == "words" else found
                shading, shares = shaded(shown)
                key = f"{asked} {method} {view.unit}"
                message = why(
                    shown,
                    [shading],
                    shares,
                    key=key,
                    first=min(row, len(shown.predicts) - 1),
                    because="opened here: A was least sure of this token",
                )
                draw(WHY, message, key=f"why {side.letter}")
                for chart in attribution_charts(shown, signed=shading.signed, unit=shading.unit):
                    charts.append(replace(chart, title=f"{side.letter}: {chart.title}"))
    figures(charts, picture.sentence.source, view, "these maps as")
