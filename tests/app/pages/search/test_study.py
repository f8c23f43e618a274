"""Curves over the beam and worked examples."""

import tomllib
from importlib.resources import files

import pytest

from headscope.analysis.search.study import Found, GreedyAndBeam, Measured, Modes, Point, SearchStudy, Worked
from headscope.app.pages.search.curves import COLOURS, curves
from headscope.app.pages.search.study import address
from headscope.app.view.state import from_query
from tests.app.pages.search.test_search import lanes

SOURCE = "How much does a ticket cost?"


def point(beam: int, alpha: float, bleu: float) -> Point:
    score = Measured(value=bleu, interval=0.5, signature="")
    return Point(beam=beam, alpha=alpha, bleu=score, chrf=score, length_ratio=1.1, log_prob=-5.0, empty=0, cut_off=0)


def found(beam: int, alpha: float = 0.0) -> Found:
    return Found(beam=beam, alpha=alpha, text="<b>", log_prob=-1.0, score=-1.0, pieces=3, chrf=50.0)


def worked(a: Found, b: Found) -> Worked:
    return Worked(lesson="greedy", source=SOURCE, reference="r", a=a, b=b)


@pytest.fixture
def study(translator) -> SearchStudy:
    return SearchStudy(
        weights=translator.weights_digest,
        data="toys",
        licence="none",
        attribution="nobody",
        sentences=5,
        points=(point(4, 0.6, 30), point(1, 0.0, 20), point(4, 0.0, 25)),
        greedy=GreedyAndBeam(beam=4, both=1, beam_alone=2, greedy_alone=0, neither=2, less_probable=3),
        modes=Modes(budget=100, sentences=5, proven=4, empty=1, beam_found=2),
        examples=(worked(found(1), found(4, 0.6)), worked(found(4), found(64))),
    )


def test_an_example_opens_the_page_with_both_searches(open_app, study, translator):
    query = address("toy", study.examples[0], translator.card)
    page = open_app("search", **query)
    assert [lane["how"] for lane in lanes(page)] == ["beam 1, length penalty 0", "beam 4, length penalty 0.6"]
    view = from_query(query, page.session_state["view"])
    assert (view.source, view.beam, view.search.other.beam) == (SOURCE, 1, 4)


def test_a_checkpoint_without_a_study(open_app):
    page = open_app("search")
    page.session_state["study"] = True
    page.run()
    assert not page.exception
    (said,) = (element.value for element in page.markdown if "No study of searches" in element.value)
    assert "`headscope study` makes it" in said
    assert "scripts" not in said


def test_the_page_tells_of_the_corpus(open_app, study, monkeypatch):
    monkeypatch.setattr("headscope.analysis.search.study.load_study", lambda card: study)
    page = open_app("search")
    page.session_state["study"] = True
    page.run()
    assert not page.exception
    assert page.get("plotly_chart")
    assert list(page.dataframe[0].value["BLEU"]) == [30, 20, 25]
    said = " ".join(text.value for text in page.text)
    assert "the beam alone 2" in said
    assert "<b>" in said
    assert "proven in 4; of these the empty translation 1 times" in said
    assert "Beams above 16 are for the command:" in said
    assert any(code.value.endswith(f"--source '{SOURCE}' --beam 64 --length-penalty 0") for code in page.code)
    assert len(page.get("page_link")) == 1


def test_one_line_a_length_penalty_told_apart_without_colour(study):
    figure = curves(study)
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
