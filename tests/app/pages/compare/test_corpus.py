"""All models over sentence pairs."""

import pytest

from tests.app.page_tools import settle
from tests.toys import SENTENCES

PAIRS = "".join("\t".join(pair) + "\n" for pair in SENTENCES).encode()


@pytest.fixture
def with_pairs(open_app):
    """Opens the page and gives it the visitor's own pairs."""

    def visit(**params: str):
        page = open_app("compare", **params)
        page.file_uploader[0].upload("mine.tsv", PAIRS)
        return settle(page)

    return visit


def test_without_a_gallery_or_a_file_it_says_so(open_app):
    page = open_app("compare", **{"c.shows": "corpus"})
    assert any("No gallery of these weights" in text.value for text in page.text)


def test_scores_and_sentences_of_a_visitors_own(with_pairs):
    page = with_pairs(**{"c.shows": "corpus", "c.others": "toy:positionless"})
    scores, differ = (each.value for each in page.dataframe)
    assert list(scores["model"]) == ["toy", "toy, no positions"]
    assert scores["BLEU less A"][0] == ""
    assert len(differ) == len(SENTENCES)
    assert differ["chrF between"].is_monotonic_increasing
    assert any("5 sentence pairs with 5 distinct sources, from mine.tsv" in text.value for text in page.text)
    page.get_by_key("view-compare.order").set_value("log_prob")
    settle(page)
    assert page.dataframe[1].value["nats apart"].is_monotonic_decreasing


def test_layers_of_a_visitors_own(with_pairs):
    page = with_pairs(**{"c.shows": "layers", "c.others": "other"})
    assert any("Source and target tokens: B: " in text.value for text in page.text)
    names = [each.proto.component_name for each in page.get("bidi_component")]
    assert names.count("headscope_heat") == 2


def test_a_bad_file_is_named(open_app):
    page = open_app("compare", **{"c.shows": "corpus"})
    page.file_uploader[0].upload("mine.tsv", b"no tab\n")
    settle(page)
    assert any("mine.tsv, line 1" in text.value.lower() for text in page.text)
