"""Curves over the beam and worked examples."""

import pytest

from headscope.analysis.search.study import SearchStudy
from headscope.app.pages.search.study import address
from headscope.app.view.state import from_query
from tests.app.page_tools import lanes
from tests.app.pages.search.study_toys import SOURCE, toy_study


@pytest.fixture
def study(translator) -> SearchStudy:
    return toy_study(translator.weights_digest)


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
    assert "Whoever runs this server can make it" in said
    assert "`" not in said


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
    assert "Pages search with beams up to 16; whoever runs this server can search with larger ones." in said
    assert not page.code
    assert len(page.get("page_link")) == 1
