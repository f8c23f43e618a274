"""The page of reasons."""

import base64

import numpy as np
import pytest
import torch

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.attribution import Attribution
from headscope.analysis.attribution.registry import explained
from headscope.analysis.attribution.rollout import rollout
from headscope.analysis.attribution.values.contrast import contrast
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.forced import forced_batch
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.components.why.why import WHY
from headscope.app.view import draw as drawing
from headscope.app.view import working
from headscope.app.workbench import attributions
from tests.app.page_tools import SENTENCE, press, sent, settle, shown

FAST = {"why.method": "input x gradient", "why.beside": "nothing"}


def array(data: dict, shading: int, side: str) -> np.ndarray:
    raw = np.frombuffer(base64.b64decode(data["shadings"][shading][side]), "<f4")
    return raw.reshape(len(data["predicts"]), -1)


def test_it_opens_with_an_answer(open_app, translator):
    page = open_app("why")
    assert page.title[0].value == "Why did the model say this?"
    data = sent(page, "headscope_why")
    found = attribute(translator, sentence_pair(translator, SENTENCE))
    np.testing.assert_allclose(array(data, 0, "source"), found.reduced()[0], atol=2e-3)
    np.testing.assert_allclose(array(data, 0, "prefix"), found.reduced()[1], atol=2e-3)
    assert [each["title"] for each in data["shadings"]] == ["Integrated gradients", "Saliency"]
    assert [each["signed"] for each in data["shadings"]] == [True, False]
    assert "baseline: nothing" in data["shadings"][0]["note"]
    assert "completeness error" in data["shadings"][0]["note"]
    assert len(data["shares"]) == len(data["predicts"])


def test_words_compute_nothing_again(open_app, monkeypatch):
    page = open_app("why", **FAST)
    pieces = sent(page, "headscope_why")
    monkeypatch.setattr("headscope.analysis.attribution.attribute.attribute", None)
    page.get_by_key("view-unit").set_value("words")
    settle(page)
    words = sent(page, "headscope_why")
    assert len(words["source"]) < len(pieces["source"])
    assert array(words, 0, "source").sum() == pytest.approx(array(pieces, 0, "source").sum(), abs=1e-3)


def test_a_contrast_with_a_piece_of_the_list(open_app, translator):
    page = open_app("why", pin="output.2", **FAST, **{"why.explained": "contrast"})
    offered = page.get_by_key("why-against").options
    pair = sentence_pair(translator, SENTENCE)
    batch = forced_batch(translator, [pair])
    with torch.no_grad():
        logits = translator.model.forward(batch.source, batch.present, batch.reads)[0, 1]
    piece = [each for each in logits.topk(4).indices.tolist() if each != int(batch.predicts[0, 1])][2]
    page.get_by_key("why-against").set_value(piece)
    settle(page)
    assert shown(page).why.against == (1, piece)
    assert len(offered) == attributions.MOST_ALTERNATIVES
    others = torch.full((len(pair.target.ids) + 1,), piece)
    found = attribute(translator, pair, "input x gradient", explained=contrast(others))
    np.testing.assert_allclose(array(sent(page, "headscope_why"), 0, "source")[1], found.reduced()[0][1], atol=1e-4)
    page.get_by_key("why-typed").set_value("Haus")
    settle(page)
    assert shown(page).why.against[1] != piece


def test_a_head_beside_it(open_app, translator):
    page = open_app("why", **{**FAST, "why.beside": "attention head"})
    data = sent(page, "headscope_why")
    assert data["shadings"][1]["title"].startswith("Cross-attention")
    np.testing.assert_allclose(array(data, 1, "source").sum(-1), 1, atol=1e-4)
    page.get_by_key("view-kind").set_value("decoder")
    settle(page)
    data = sent(page, "headscope_why")
    np.testing.assert_allclose(array(data, 1, "prefix").sum(-1), 1, atol=1e-4)
    assert not array(data, 1, "source").any()


def test_what_an_address_makes_up_is_left_out(open_app):
    page = open_app("why", **{"why.method": "guessing", "why.beside": "<script>", "why.explained": "luck"})
    assert [each["title"] for each in sent(page, "headscope_why")["shadings"]] == ["Integrated gradients"]


def test_presented_without_controls(open_app):
    page = open_app("why", present="1", **FAST)
    assert sent(page, "headscope_why")["predicts"]
    assert not page.selectbox


def test_a_click_on_a_next_piece_contrasts_with_it(open_app, translator):
    page = open_app("why", pin="output.2", **FAST)
    assert shown(page).why.explained == "log-probability"
    assert page.get_by_key("why-against").value is None
    batch = forced_batch(translator, [sentence_pair(translator, SENTENCE)])
    with torch.no_grad():
        logits = translator.model.forward(batch.source, batch.present, batch.reads)[0, 1]
    piece = [each for each in logits.topk(4).indices.tolist() if each != int(batch.predicts[0, 1])][1]
    page.get_by_key("why-against").set_value(piece)
    settle(page)
    assert (shown(page).why.explained, shown(page).why.against) == ("contrast", (1, piece))
    page.get_by_key("why-against").set_value(None)
    settle(page)
    assert (shown(page).why.explained, shown(page).why.against) == ("log-probability", None)


def test_a_better_method_is_waited_for_with_the_first_in_sight(open_app, monkeypatch):
    happened, computed, draw = [], attributions.attribution, drawing.draw

    def attribution(*args, **named):
        happened.append(f"asks for {args[2]}")
        return computed(*args, **named)

    def drawn(component, message, **named):
        if component is WHY:
            happened.append(f"draws {', '.join(each.title for each in message.shadings)}")
        return draw(component, message, **named)

    monkeypatch.setattr(attributions, "attribution", attribution)
    monkeypatch.setattr(drawing, "draw", drawn)
    page = open_app("why", **{"why.method": "occlusion", "why.beside": "nothing"})
    assert happened == ["asks for saliency", "draws Saliency", "asks for occlusion", "draws Occlusion"]
    happened.clear()
    settle(page)
    assert happened == ["asks for occlusion", "draws Occlusion"]
    happened.clear()
    page.get_by_key("view-why.method").set_value("ALTI+")
    settle(page)
    assert happened == ["asks for ALTI+", "draws ALTI+"]


def test_rollout_beside_it(open_app, translator):
    page = open_app("why", **{**FAST, "why.beside": "attention rollout"})
    data = sent(page, "headscope_why")
    expected = rollout(record(translator, sentence_pair(translator, SENTENCE))).distribution
    assert data["shadings"][1]["title"] == "Attention rollout"
    np.testing.assert_allclose(array(data, 1, "source"), expected, atol=2e-3)


def test_sums_that_are_off_are_warned_of(open_app, monkeypatch):
    page = open_app("why", **{"why.method": "integrated gradients", "why.beside": "nothing"})
    assert sent(page, "headscope_why")["shadings"][0]["warning"] == ""
    monkeypatch.setattr(Attribution, "error", property(lambda self: np.linspace(0, 0.08, len(self.values))))
    settle(page)
    warned = sent(page, "headscope_why")["shadings"][0]["warning"]
    rows = len(sent(page, "headscope_why")["predicts"])
    many = int((np.linspace(0, 0.08, rows) > 0.05).sum())
    assert warned == f"Sums miss their value by more than 5% in {many} of {rows} rows"


def test_the_matrix_is_saved_for_print(open_app):
    page = open_app("why", **FAST)
    for form in ("csv", "json", "svg", "png", "pdf"):
        assert page.get_by_key(f"export-{form}")
    assert not [button for button in page.button if button.key in ("export-csv", "export-json")], (
        "they are there at once"
    )


def test_a_figure_of_several_charts_is_drawn_with_a_bar_and_then_saved(open_app, monkeypatch):
    monkeypatch.setattr(working, "DELAY", 0)
    monkeypatch.setattr(working, "EVERY", 0)
    said = []
    monkeypatch.setattr(working._Bar, "update", lambda bar, done, total: said.append((bar._label, done, total)))
    page = open_app("why", **FAST)
    press(page, "export-svg")
    assert said[-1] == ("Writes the svg", 3, 4), "two maps, and the scale of each"
    assert page.get_by_key("export-made").proto.label.startswith("Save toy-why.svg (0.")
    assert not page.exception


def test_why_this_translation_and_not_another(open_app, translator):
    page = open_app("why", **FAST, **{"why.explained": "phrase contrast"})
    page.get_by_key("view-why.rival").set_value("Wir haben nichts gesehen.")
    settle(page)
    assert shown(page).why.rival == "Wir haben nichts gesehen."
    pair = sentence_pair(translator, SENTENCE)
    value = explained(translator, pair, "phrase contrast", text="Wir haben nichts gesehen.")
    found = attribute(translator, pair, "input x gradient", explained=value)
    data = sent(page, "headscope_why")
    assert len(data["predicts"]) == 1
    np.testing.assert_allclose(array(data, 0, "source"), found.reduced()[0], atol=1e-4)
