"""Positions without a model: what the formulas give for any width, length and base."""

import streamlit as st

from headscope.app.view import controls, session
from headscope.app.view.positions_state import HEADS, LENGTHS, WIDTHS, PositionsView
from headscope.app.wire import position_charts as charts
from headscope.app.wire.chart import Chart

FORMULA_LABELS = {"sinusoidal": "Sinusoidal", "rotary": "Rotary", "alibi": "ALiBi", "t5": "T5"}
BASE_STEPS = (2.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0)
T5_BUCKETS, T5_FURTHEST = 32, 128
"""As T5 has them."""
DRAWN = 4
"""Waves, spread over the dimensions."""


def choices() -> None:
    """The scheme, and its sliders."""
    state = session.view().positions
    controls.one_of("Scheme", FORMULA_LABELS, "positions.formula")
    with st.container(horizontal=True, vertical_alignment="bottom", key="formula"):
        _slider("Positions", LENGTHS, 8, "positions.span", state.span)
        if state.formula in ("sinusoidal", "rotary"):
            label = "Width of the model" if state.formula == "sinusoidal" else "Width of a head"
            _slider(label, WIDTHS, 2, "positions.width", state.width)
            base = min(BASE_STEPS, key=lambda step: abs(step - state.base))
            with st.container(width=260):
                st.select_slider(
                    "Base",
                    BASE_STEPS,
                    format_func=lambda step: f"{step:,.0f}",
                    **session.control("positions.base", base),
                )
        elif state.formula == "alibi":
            _slider("Heads", HEADS, 1, "positions.heads", state.heads)


def of_formula(state: PositionsView) -> tuple[Chart, ...]:
    """What the sliders give."""
    from headscope.analysis.positions.relative import buckets, rotation, sinusoids, slopes, wavelengths

    if state.formula == "rotary":
        return charts.rotation("Rotary", rotation(state.span, state.width, state.base))
    if state.formula == "alibi":
        return (charts.biases("ALiBi", slopes(state.heads, state.span)),)
    if state.formula == "t5":
        return (charts.bucketed(*buckets(state.span, count=T5_BUCKETS, furthest=T5_FURTHEST)),)
    rows = sinusoids(state.span, state.width, state.base)
    drawn = sorted({2 * (place * (state.width // 2 - 1) // (DRAWN - 1)) for place in range(DRAWN)})
    return (
        charts.table("Sinusoids: the table", rows, None),
        charts.waves("Sinusoids: some dimensions", rows, drawn, None),
        charts.wavelengths("Sinusoids", wavelengths(state.width, state.base), state.span),
    )


def _slider(label: str, limits: tuple[int, int], step: int, field: str, value: int) -> None:
    with st.container(width=260):
        st.slider(label, *limits, step=step, **session.control(field, value))
