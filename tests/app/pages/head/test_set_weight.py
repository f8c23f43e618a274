"""One weight set on the map of a head."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps, record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.weights import WeightSet
from headscope.analysis.records.heads import Cell, Head
from tests.app.page_tools import SENTENCE, sent, settle, shown, weights

CELL = Cell(Head("cross", 2, 0), 1, 2)
SET = {"kind": "cross", "layer": "3", "head": "1", "set": "cross.3.1.2.3.0.9"}


def test_the_map_shows_the_changed_row_and_marks_the_cell(open_app, translator):
    page = open_app(**SET)
    before = attention_maps(translator, SENTENCE).cross[2][0]
    expected = before.copy()
    expected[1] *= (1 - 0.9) / (1 - before[1, 2])
    expected[1, 2] = 0.9
    np.testing.assert_allclose(weights(page), expected, atol=1e-6)
    mark = sent(page, "headscope_head_map")["set"]
    assert (mark["row"], mark["column"]) == (1, 2)
    assert mark["before"] == pytest.approx(before[1, 2])
    assert page.query_params["set"] == SET["set"]


def test_the_translation_is_answered_before_and_after(open_app, translator):
    page = open_app(**SET)
    pair = sentence_pair(translator, SENTENCE)
    probe = WeightSet(translator.model.config, CELL, 0.9)
    before, after = (record(translator, pair, probe=given) for given in (None, probe))
    answer = sent(page, "headscope_compare")
    assert answer["names"] == ["As it is", "With the weight set"]
    facts = f"log p {before.log_probs.sum():.2f} nats as it is, {after.log_probs.sum():.2f} with the weight set"
    assert facts.replace("-", "−") in answer["facts"]
    (line,) = [text.value for text in page.text if "One weight is changed" in text.value]
    assert line.startswith("One weight is changed: cross 3.1, row 2, column 3 set to 0.9. The translation: log p −")


def test_other_heads_show_what_the_change_does_to_them(open_app, translator):
    page = open_app(**SET | {"set": "encoder.1.1.2.3.0.9"})
    assert sent(page, "headscope_head_map")["set"] is None
    assert abs(weights(page) - attention_maps(translator, SENTENCE).cross[2][0]).max() > 1e-5


def test_reset_leaves_all_as_it_is(open_app, translator):
    page = open_app(**SET)
    (button,) = [button for button in page.button if button.label == "Reset"]
    button.click()
    settle(page)
    assert shown(page).detail.set is None
    assert "set" not in page.query_params
    np.testing.assert_array_equal(weights(page), attention_maps(translator, SENTENCE).cross[2][0])


def test_another_sentence_or_search_forgets_it(open_app):
    for key, value in (("view-source", "A dog sleeps."), ("view-beam", 1)):
        page = open_app(**SET)
        page.get_by_key(key).set_value(value).run()
        assert not page.exception
        assert shown(page).detail.set is None
    page = open_app(**SET)
    page.get_by_key("view-head").set_value(1).run()
    assert shown(page).detail.set is not None


def test_a_weight_that_cannot_be_set_is_said_and_can_be_reset(open_app):
    page = open_app(set="cross.1.1.400.1.0.5")
    assert "There is no weight in row 400, column 1" in page.container(key="problem").text[0].value
    assert "Reset" in [button.label for button in page.button]


def test_what_is_not_one_weight_of_one_piece_cannot_be_set(open_app):
    assert sent(open_app(), "headscope_head_map")["settable"]
    for other in ({"unit": "words"}, {"quantity": "contribution"}, {"special": "renormalised"}, {"present": "1"}):
        assert not sent(open_app(**other), "headscope_head_map")["settable"]
    page = open_app(**SET, unit="words")
    assert sent(page, "headscope_head_map")["set"] is None
    assert sent(page, "headscope_compare")
