"""BLEU and length against the beam, as a figure."""

from typing import TYPE_CHECKING, Any

from headscope.app.view.charts import COLOURS, DASHES, SYMBOLS

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from headscope.analysis.search.study import Point, SearchStudy


def curves(study: "SearchStudy") -> "Figure":
    """Two pictures one above the other: BLEU with its interval, and the length ratio; one line a length penalty."""
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.08)
    for number, alpha in enumerate(sorted({point.alpha for point in study.points})):
        points = sorted((point for point in study.points if point.alpha == alpha), key=lambda point: point.beam)
        style: dict[str, Any] = {
            "mode": "lines+markers",
            "name": f"length penalty {alpha:g}",
            "line": {"dash": DASHES[number % len(DASHES)], "color": COLOURS[number % len(COLOURS)]},
            "marker": {"symbol": SYMBOLS[number % len(SYMBOLS)]},
            "legendgroup": str(number),
        }
        beams = [point.beam for point in points]
        figure.add_scatter(x=beams, y=[p.bleu.value for p in points], error_y=_intervals(points), row=1, col=1, **style)
        ratios = [point.length_ratio for point in points]
        figure.add_scatter(x=beams, y=ratios, row=2, col=1, showlegend=False, **style)
    beams = sorted({point.beam for point in study.points})
    figure.update_xaxes(type="log", tickvals=beams, ticktext=[str(beam) for beam in beams])
    figure.update_xaxes(title_text="beam", row=2, col=1)
    figure.update_yaxes(title_text="BLEU", row=1, col=1)
    figure.update_yaxes(title_text="length ratio", row=2, col=1)
    figure.update_layout(height=440, margin={"t": 8, "b": 8, "l": 8, "r": 8}, legend={"orientation": "h", "y": 1.1})
    return figure


def _intervals(points: "list[Point]") -> dict[str, Any]:
    return {"type": "data", "array": [point.bleu.interval or 0.0 for point in points], "thickness": 1}
