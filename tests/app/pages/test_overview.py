"""The page of all heads."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.importance import removal_importance
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.measures.head_measures import head_measures
from headscope.analysis.measures.profile import head_profile
from headscope.analysis.records.heads import Head
from tests.app.page_tools import SENTENCE, sent, settle
from tests.toys import SENTENCES


def tiles(page) -> dict[Head, float]:
    data = sent(page, "headscope_wall")
    return {
        Head(data["kind"], tile["layer"], tile["head"]): tile["value"]
        for layer in data["layers"]
        for tile in layer["tiles"]
    }


def test_all_heads_of_a_kind_with_a_measure(open_app, translator):
    page = open_app("overview")
    assert page.title[0].value == "Which heads matter?"
    found = head_measures(attention_maps(translator, SENTENCE))
    for kind, measure in (("cross", "confidence"), ("encoder", "previous"), ("decoder", "entropy")):
        page.get_by_key("view-kind").set_value(kind).run()
        page.get_by_key("view-measure").set_value(measure).run()
        assert not page.exception
        values = dict(zip(found.heads, found.values[measure], strict=True))
        expected = {head: value for head, value in values.items() if head.kind == kind}
        assert tiles(page) == pytest.approx(expected, rel=1e-3)
    page.get_by_key("view-order").set_value("index").run()
    assert not page.exception
    assert sent(page, "headscope_wall")["layers"][0]["name"] == "Layer 1"


def test_it_opens_with_what_the_translation_needs_most(open_app):
    page = open_app("overview")
    values = list(tiles(page).values())
    assert values == sorted(values, key=abs, reverse=True)
    wall = sent(page, "headscope_wall")
    shares = [tile["share"] for layer in wall["layers"] for tile in layer["tiles"]]
    assert shares == pytest.approx([value / abs(values[0]) for value in values], abs=1e-3)
    assert any("The head with the largest change stands first" in text.value for text in page.main.markdown)
    assert "change without it: violet above 0" in wall["key"]
    page.get_by_key("view-order").set_value("index").run()
    assert any("Heads stand by layer and number" in text.value for text in page.main.markdown)


def test_ordered_by_the_measure(open_app):
    values = list(tiles(open_app("overview", order="measure", measure="entropy", kind="encoder")).values())
    assert values == sorted(values, reverse=True)
    assert len(values) == 8


def test_what_becomes_of_the_translation_without_each_head(open_app, translator):
    page = open_app("overview", order="measure", measure="removal")
    found = removal_importance(translator, sentence_pair(translator, SENTENCE))
    expected = {head: value for head, value in zip(found.heads, found.change, strict=True) if head.kind == "cross"}
    assert tiles(page) == pytest.approx(expected, rel=0.02, abs=1e-3)
    sizes = np.abs(list(tiles(page).values()))
    assert (np.diff(sizes) <= 0).all()


def test_the_wall_shows_what_the_view_wants(open_app):
    wall = sent(open_app("overview", special="hidden", unit="words"), "headscope_wall")
    assert wall["hidden"]
    assert wall["columns"] == len(sent(open_app("overview", unit="words"), "headscope_strip")["source"]["labels"])
    page = open_app("overview")
    assert (sent(page, "headscope_wall")["quantity"], sent(page, "headscope_wall")["hidden"]) == ("weight", None)
    before = tiles(page)
    page.get_by_key("view-quantity").set_value("contribution").run()
    assert not page.exception
    assert sent(page, "headscope_wall")["quantity"] == "contribution"
    assert tiles(page) == before, "measures are of weights"


def test_tiles_name_the_mean_over_the_corpus(open_app, translator, monkeypatch):
    profile = head_profile(translator, SENTENCES)
    monkeypatch.setattr("headscope.analysis.measures.profile.load_profile", lambda folder: profile)
    page = open_app("overview", measure="entropy", order="index")
    tile = sent(page, "headscope_wall")["layers"][1]["tiles"][1]
    mean = profile.mean["entropy"][profile.heads.index(Head("cross", 1, 1))]
    assert tile["name"].startswith("Layer 2, head 2: entropy ")
    assert float(tile["name"].rpartition("corpus mean ")[2]) == pytest.approx(mean, rel=5e-3)
    page.get_by_key("view-measure").set_value("removal").run()
    assert not page.exception
    assert "corpus" not in sent(page, "headscope_wall")["layers"][1]["tiles"][1]["name"]


def test_a_measure_that_a_kind_lacks_gives_way(open_app):
    page = open_app("overview", measure="diagonality")
    page.get_by_key("view-kind").set_value("decoder").run()
    assert not page.exception
    assert page.session_state["view"].measure == "removal"


def test_a_tile_opens_its_head(open_app):
    page = open_app("overview", kind="encoder")
    # The browser's message cannot be sent from here: this is what it makes of the session.
    page.session_state["view"] = replace(page.session_state["view"], layer=1, head=2)
    page.session_state["changed"] = True
    page.session_state["next page"] = "head"
    settle(page)
    assert sent(page, "headscope_head_map")["title"] == "Encoder self-attention, layer 2, head 3"
