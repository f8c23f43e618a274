"""The page of heads that are taken away."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.importance import removal_importance
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.heads import Resampled, UniformAttention, Zeroed, contexts
from headscope.analysis.records.heads import Head
from headscope.app.workbench import studies
from headscope.app.workbench.sentences import MOST_TELLING
from tests.app.page_tools import SENTENCE, sent, settle
from tests.toys import SENTENCES

CROSS = [Head("cross", layer, head) for layer in range(3) for head in range(2)]


def address(heads) -> str:
    return ",".join(f"{kind}.{layer + 1}.{head + 1}" for kind, layer, head in heads)


TITLES = ["With all heads", "Without", "Difference"]


def maps_of(page) -> dict[str, dict]:
    """The maps that are side by side, by their titles."""
    drawn = [each.proto for each in page.get("bidi_component") if each.proto.component_name == "headscope_head_map"]
    return {message["title"]: message for message in (json.loads(proto.json) for proto in drawn)}


def cells(message) -> np.ndarray:
    flat = np.frombuffer(base64.b64decode(message["weights"]), "<f4")
    return flat.reshape(len(message["rows"]), len(message["columns"]))


def captions(page) -> str:
    return " ".join(caption.value for caption in page.main.caption)


def test_it_opens_without_the_heads_that_tell_most(open_app, translator):
    page = open_app("what_if")
    assert page.title[0].value == "What happens without these heads?"
    pair = sentence_pair(translator, SENTENCE)
    ranked = removal_importance(translator, pair).ranked[:MOST_TELLING]
    tries = [what_if(translator, SENTENCE, Zeroed(translator.model.config, ranked[:at])) for at in range(1, 5)]
    changes = [at for at, found in enumerate(tries, 1) if found.after.text != found.before.text]
    off = sorted(ranked[: changes[0] if changes else 1])
    assert sent(page, "headscope_wall")["toggles"]
    assert sent(page, "headscope_wall")["off"] == [CROSS.index(head) for head in off if head in CROSS]
    assert "Taken away: " in captions(page)
    assert all(f" {head.layer + 1}.{head.head + 1}" in captions(page) for head in off)
    assert "off" not in page.query_params, "another sentence has other ones"
    next(button for button in page.button if button.label == "All heads on").click().run()
    assert not page.exception
    assert sent(page, "headscope_wall")["off"] == []
    assert "Taken away" not in captions(page)
    assert sent(page, "headscope_compare")["facts"].endswith("The search finds it again.")
    assert page.query_params["off"] == ""
    next(button for button in page.button if button.label == "Those that tell most").click().run()
    assert not page.exception
    assert "Taken away: " in captions(page)


@pytest.mark.parametrize(("instead", "probe"), [("zero", Zeroed), ("uniform", UniformAttention)])
def test_the_numbers_are_those_of_the_analysis(open_app, translator, instead, probe):
    page = open_app("what_if", off=address(CROSS), instead=instead)
    found = what_if(translator, SENTENCE, probe(translator.model.config, CROSS))
    data = sent(page, "headscope_compare")
    assert [word["text"] for word in data["before"]] == found.before.text.split()
    assert [word["text"] for word in data["after"]] == found.after.text.split()
    assert [token["change"] for token in data["changes"]] == pytest.approx(found.effect.change.tolist(), abs=1e-3)
    assert found.before.text != found.after.text
    assert any(word["changed"] for word in data["after"])
    total = re.search(r"\(([-+].+?)\)", data["facts"].replace("−", "-"))[1]
    assert float(total) == pytest.approx(found.effect.total, abs=0.01)


def test_what_heads_put_out_elsewhere_stands_in_their_place(open_app, translator, monkeypatch):
    monkeypatch.setattr(studies, "examples", lambda bench, checkpoint: tuple(SENTENCES[:2]))
    page = open_app("what_if", off=address(CROSS), instead="resampled")
    pair = sentence_pair(translator, *SENTENCES[0])
    found = what_if(translator, SENTENCE, Resampled(translator.model.config, CROSS, contexts(translator, pair)))
    data = sent(page, "headscope_compare")
    assert [token["change"] for token in data["changes"]] == pytest.approx(found.effect.change.tolist(), abs=1e-3)


def test_without_other_sentences_the_page_says_so(open_app, monkeypatch):
    monkeypatch.setattr(studies, "examples", lambda bench, checkpoint: ())
    page = open_app("what_if", off=address(CROSS), instead="mean")
    assert any("he gallery has no other sentence" in each.value for each in page.main.text)


def test_heads_of_other_kinds_stay_off_and_are_named(open_app):
    page = open_app("what_if", kind="encoder", off="cross.1.1,encoder.2.4")
    assert sent(page, "headscope_wall")["off"] == [7]
    assert page.main.text[0].value == "Off elsewhere: cross 1.1"


def test_a_click_on_a_tile_toggles(open_app):
    page = open_app("what_if", off="cross.1.1")
    page.session_state["view"] = replace(page.session_state["view"], off=(CROSS[0], CROSS[3]))
    page.session_state["changed"] = True
    settle(page)
    assert sent(page, "headscope_wall")["off"] == [0, 3]
    assert page.query_params["off"] == "cross.1.1,cross.2.2"


@pytest.mark.parametrize("shown", [{}, {"unit": "words"}, {"special": "hidden"}, {"special": "renormalised"}])
def test_attention_before_after_and_the_difference(open_app, translator, shown):
    page = open_app("what_if", kind="decoder", layer="3", head="2", off="cross.1.1,decoder.1.2", **shown)
    before, after, difference = (maps_of(page)[title] for title in TITLES)
    np.testing.assert_allclose(cells(difference), cells(after) - cells(before), atol=1e-7)
    assert abs(cells(difference)).max() > 1e-4
    assert [each["quantity"] for each in (before, after, difference)] == ["weight", "weight", "difference"]
    assert difference["most"] >= abs(cells(difference)).max()
    assert before["rows"] == after["rows"] == difference["rows"]
    assert len({each["signature"] for each in (before, after, difference)}) == 3
    assert "Nothing changes" not in captions(page)
    if not shown:
        heads = [Head("cross", 0, 0), Head("decoder", 0, 1)]
        found = what_if(translator, SENTENCE, Zeroed(translator.model.config, heads))
        np.testing.assert_allclose(cells(before), found.maps_before.decoder[2][1], atol=1e-5)
        np.testing.assert_allclose(cells(after), found.maps_after.decoder[2][1], atol=1e-5)
    if "special" in shown:
        masses = [np.array(each["hidden"]) for each in (before, after, difference)]
        np.testing.assert_allclose(masses[2], masses[1] - masses[0], atol=2e-4)


def test_a_map_before_the_heads_that_are_off_does_not_change(open_app):
    page = open_app("what_if", kind="encoder", layer="1", off="cross.1.1")
    found = maps_of(page)
    assert list(found) == TITLES
    assert not cells(found["Difference"]).any()
    assert found["Difference"]["most"] == 0
    assert "Nothing changes in this map" in captions(page)


def test_another_head_is_chosen_below(open_app):
    page = open_app("what_if", kind="cross", layer="3", off="cross.1.1")
    first = cells(maps_of(page)["Without"])
    page.get_by_key("view-head").set_value(1).run()
    assert not page.exception
    assert page.query_params["head"] == "2"
    assert not np.array_equal(cells(maps_of(page)["Without"]), first)


def test_who_reads_another_hypothesis_is_told_which_translation_is_compared(open_app):
    chosen = open_app("what_if", target="5.6")
    assert "this is the best translation" in captions(chosen)
    assert "this is the best translation" not in captions(open_app("what_if"))


def test_presented_the_maps_stay_and_keys_walk_the_heads(open_app):
    page = open_app("what_if", present="1", off="cross.1.1")
    assert list(maps_of(page)) == TITLES
    assert sent(page, "headscope_keys")["hints"] == [
        "K k attention",
        "← → head",
        "↑ ↓ layer",
        "Shift ← → token",
        "Page ↑ ↓ page",
    ]
