"""What stands beside beam search on its page."""

import pytest

from headscope.analysis.search.exact import exact_search
from tests.toys import SENTENCES


def test_the_most_probable_translation(open_app, translator):
    source = SENTENCES[3][0]
    page = open_app("search", mode="exact", source=source)
    found = exact_search(translator, source)
    assert any(text.value.lower() == f"{found.verdict}." for text in page.text)
    rows = page.dataframe[0].value
    assert list(rows["translation"]) == [found.beam_text, found.text, "(nothing)"]
    assert list(rows["log p"]) == pytest.approx(
        [found.beam.total, found.result.best.total, found.result.empty], abs=1e-3
    )


def test_the_most_typical_sample(open_app):
    page = open_app("search")
    page.get_by_key("view-search.mode").set_value("mbr").run()
    page.get_by_key("view-search.likeness").set_value("bleu").run()
    assert not page.exception
    assert any(text.value.startswith("Most like all 64 samples: ") for text in page.text)
    rows = page.dataframe[0].value
    assert rows["drawn"].sum() == 64
    assert list(rows["expected utility"]) == sorted(rows["expected utility"], reverse=True)
    assert page.query_params["likeness"] == "bleu"
    assert any(text.value.startswith("**Utility** (BLEU, tokeniser 13a, 0 to 100)") for text in page.markdown)
    refused = open_app("search", mode="mbr", must="Jeden")
    assert any(
        "Samples are drawn piece by piece, and cannot be made to contain 'Jeden'" in t.value for t in refused.text
    )
