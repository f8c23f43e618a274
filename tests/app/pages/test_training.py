"""The page of a head over training."""

import base64
import json
import zlib

import numpy as np
import pytest

from headscope.analysis.measures.history import HISTORY, save_history
from headscope.app.view import session
from tests.app.commands.measuring import copied
from tests.app.page_tools import sent, settle, shown, weights
from tests.histories import toy_history


@pytest.fixture
def watched(open_app, checkpoint, translator, tmp_path, monkeypatch):
    """Opens the page with a checkpoint that has a history."""
    own = copied(checkpoint, tmp_path / "own")
    save_history(toy_history(translator, translator.weights_digest), own / HISTORY)
    rows = [{"kind": "validation", "step": step, "nll": nll} for step, nll in ((1, 3.0), (30, 2.0))]
    (own / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: {"toy": own})
    return lambda **params: open_app("training", **params)


def maps(page) -> np.ndarray:
    data = sent(page, "headscope_course")
    raw = np.frombuffer(zlib.decompress(base64.b64decode(data["maps"])), np.uint8)
    return raw.reshape(len(data["moments"]), data["rows"], data["columns"]) / 255


def test_it_opens_with_the_last_snapshot_of_the_head_in_view(watched, translator):
    page = watched(kind="encoder", layer="1", head="2")
    assert page.title[0].value == "How did this head come to be?"
    history = toy_history(translator)
    np.testing.assert_allclose(maps(page), history.weights(0, "encoder")[:, 0, 1], atol=1e-6)
    np.testing.assert_allclose(weights(page), maps(page)[-1], atol=1e-6)
    data, strip = sent(page, "headscope_course"), sent(page, "headscope_strip")
    assert data["of"] == sent(page, "headscope_head_map")["signature"]
    assert data["moments"][2]["said"].startswith("after update 40; development loss 2.00 nats a token (update 30")
    assert (strip["source"]["text"], strip["output"]["text"]) == history.watched[0]
    assert {note["probability"] for note in strip["output"]["notes"]} == {None}
    assert any("looks everywhere (relative entropy ≥ 0.9) from update 40 on" in text.value for text in page.text)
    assert any("Means over 5 development sentences" in each.value for each in page.caption)


def test_the_address_names_sentence_and_step(watched, translator):
    page = watched(**{"t.sentence": "2", "t.step": "7", "kind": "cross"})
    history = toy_history(translator)
    assert sent(page, "headscope_strip")["source"]["text"] == history.watched[1][0]
    assert sent(page, "headscope_course")["at"] == 1, "the last snapshot until then"
    np.testing.assert_allclose(weights(page), maps(page)[1], atol=1e-6)


def test_another_sentence_is_in_the_address(watched):
    page = watched()
    page.get_by_key("view-training.sentence").set_value(3).run()
    assert not page.exception
    assert shown(page).training.sentence == 3
    assert page.query_params["t.sentence"] == "4"


def test_other_curves(watched):
    page = watched()
    page.get_by_key("view-training.measures").set_value(["coverage"]).run()
    assert not page.exception
    assert shown(page).training.measures == ("coverage",)


def test_the_head_page_leads_here_and_back(watched, open_app):
    page = open_app("head", kind="decoder", head="2")
    next(button for button in page.button if button.label == "How did this head come to be?").click()
    settle(page)
    assert page.title[0].value == "How did this head come to be?"
    assert sent(page, "headscope_course")["name"].startswith("Decoder self-attention, layer")
    next(button for button in page.button if button.label.startswith("Look at it")).click()
    settle(page)
    assert page.title[0].value == "Where does this head look?"


def test_a_checkpoint_without_a_history_says_what_to_do(open_app):
    page = open_app("training")
    assert "Choose another checkpoint" in page.info[0].value
    assert "headscope_head_map" not in {each.proto.component_name for each in page.get("bidi_component")}


def test_a_history_of_other_weights_is_none(watched, translator, tmp_path):
    save_history(toy_history(translator, "0" * 32), tmp_path / "own" / HISTORY)
    assert "No history of these weights" in watched().info[0].value


def test_a_torn_history_is_one_plain_line(watched, tmp_path):
    (tmp_path / "own" / HISTORY).write_bytes(b"PK\x03\x04 torn")
    page = watched()
    told = [text.value for text in page.text]
    assert any("is not a history" in text and "\n" not in text for text in told), told


def test_a_presentation_has_the_map_and_no_controls(watched):
    page = watched(present="1")
    assert sent(page, "headscope_course")
    assert sent(page, "headscope_keys")
    assert not page.selectbox
    assert not page.multiselect
