"""The attention of two checkpoints in the sentence."""

import base64
import json

import numpy as np
import pytest
import streamlit as st

from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.positions.side_by_side import attention_of_both
from headscope.analysis.records.difference import difference, weight_elsewhere
from headscope.app.view import session
from headscope.app.workbench import studies
from headscope.model.translator import load_translator
from tests.app.page_tools import SENTENCE, sent, shown
from tests.toys import SENTENCES, save_toy_checkpoint

TEXTS = (*SENTENCES, ("We see.", "Wir sehen."), ("She reads.", "Sie liest."))


@pytest.fixture(scope="module")
def folders(checkpoint, tmp_path_factory):
    """Twins; one that cuts text into other pieces; one with fewer heads; and one of other languages."""
    folder = tmp_path_factory.mktemp("both")
    few = {"passes": 4}
    made = {"toy": checkpoint}
    made["learned"] = save_toy_checkpoint(folder / "learned", positions="learned", position_table=48, **few)
    made["other"] = save_toy_checkpoint(folder / "other", SENTENCES[:2], **few)
    decoder = {"layers": 2, "heads": 1, "feed_forward": 20}
    made["small"] = save_toy_checkpoint(folder / "small", decoder=decoder, **few)
    turned = [(target, source) for source, target in SENTENCES]
    made["back"] = save_toy_checkpoint(folder / "back", turned, ("de", "en"), **few)
    return made


@pytest.fixture
def open_attention(open_app, folders, monkeypatch):
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: folders)
    monkeypatch.setattr(studies, "examples", lambda bench, checkpoint: TEXTS)
    st.cache_resource.clear()
    return lambda **params: open_app("positions", **{"p.view": "attention"} | params)


def words(page) -> str:
    return " ".join(each.value for each in (*page.main.text, *page.main.caption))


def three(page) -> list[dict]:
    found = [each.proto for each in page.get("bidi_component")]
    return [json.loads(proto.json) for proto in found if proto.component_name == "headscope_head_map"]


def values(data: dict) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(data["weights"]), "<f4")
    return raw.reshape(len(data["rows"]), len(data["columns"]))


@pytest.mark.parametrize("special", ["shown", "hidden"])
def test_the_numbers_are_those_of_the_analysis(open_attention, folders, special):
    page = open_attention(kind="encoder", layer="2", head="3", special=special, **{"p.other": "learned"})
    a, b = (load_translator(folders[name]) for name in ("toy", "learned"))
    found = attention_of_both(a, b, sentence_pair(a, SENTENCE))
    drawn = three(page)
    assert [each["title"] for each in drawn] == ["toy: encoder 2.3", "learned: encoder 2.3", "Difference"]
    keep = slice(0, None if special == "shown" else -1)
    for each, maps in zip(drawn, (found.first, found.second, difference(found.first, found.second)), strict=True):
        np.testing.assert_allclose(values(each)[:, keep], maps.encoder[1][2][:, keep], atol=1e-5)
    assert drawn[2]["quantity"] == "difference"
    assert drawn[0]["most"] == drawn[1]["most"]
    tiles = [tile for layer in sent(page, "headscope_wall")["layers"] for tile in layer["tiles"]]
    elsewhere = weight_elsewhere(difference(found.first, found.second))
    assert {(tile["layer"], tile["head"]): tile["value"] for tile in tiles} == pytest.approx(
        {(at.layer, at.head): value for at, value in elsewhere.items() if at.kind == "encoder"}, abs=1e-3
    )
    assert "Both read what toy has written" in words(page)
    assert page.get("download_button") or page.get("button")


def test_matched_heads_stand_beside_each_other(open_attention):
    page = open_attention(kind="decoder", layer="1", head="2", **{"p.other": "learned", "p.match": "across"})
    first, second, _ = (each["title"] for each in three(page))
    assert first == "toy: decoder 1.2"
    assert second.startswith("learned: decoder ")
    page.get_by_key("view-positions.match").set_value("within").run()
    assert shown(page).positions.match == "within"
    assert three(page)[1]["title"] in ("learned: decoder 1.1", "learned: decoder 1.2")


def test_other_pieces_are_compared_as_words_and_other_languages_refused(open_attention):
    page = open_attention(kind="cross", source=SENTENCES[0][0], **{"p.other": "other"})
    assert "so words are compared" in words(page)
    assert len(three(page)) == 3
    page = open_attention(**{"p.other": "back"})
    assert "choose two of the same languages" in words(page)
    assert not three(page)


def test_heads_that_the_second_has_not(open_attention):
    page = open_attention(kind="cross", layer="3", head="2", **{"p.other": "small"})
    assert "cross 3.2 has no head beside it in small" in words(page)
    assert "2 heads stand in both" in words(page)
    assert len(three(page)) == 3


def test_presented_it_has_keys_and_no_controls(open_attention):
    page = open_attention(present="1", **{"p.other": "learned"})
    assert not page.get("selectbox")
    assert "← → head" in sent(page, "headscope_keys")["hints"]
    assert len(three(page)) == 3
