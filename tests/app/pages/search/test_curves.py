"""The figure of BLEU and length against the beam."""

from headscope.app.pages.search.curves import curves
from tests.app.pages.search.study_toys import toy_study


def test_one_line_a_length_penalty_told_apart_without_colour():
    figure = curves(toy_study("digest"))
    bleu = [trace for trace in figure.data if trace.yaxis == "y"]
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in bleu] == [
        ("length penalty 0", [1, 4], [20, 25]),
        ("length penalty 0.6", [4], [30]),
    ]
    assert len({trace.marker.symbol for trace in bleu}) == len({trace.line.dash for trace in bleu}) == 2
    assert list(figure.data[1].y) == [1.1, 1.1]
    assert figure.data[1].line == bleu[0].line
