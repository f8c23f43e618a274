"""The figure of BLEU and length against the beam."""

import tomllib
from importlib.resources import files

from headscope.app.pages.search.curves import COLOURS, curves
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


def test_colours_are_the_themes():
    theme = tomllib.loads((files("headscope.app") / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    assert list(COLOURS) == theme["chartCategoricalColors"][: len(COLOURS)]
