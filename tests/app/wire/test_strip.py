"""What goes to the sentence strip."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.app.wire.encoding import as_message
from headscope.app.wire.strip import Fact, Pin, strip
from headscope.model.search.settings import SearchSettings
from tests.app.page_tools import SENTENCE


@pytest.fixture(scope="module")
def maps(translator):
    return attention_maps(translator, SENTENCE)


def sent(maps, **options) -> dict:
    plain = {"pin": None, "facts": [], "trained": {"source": None, "output": None}, "languages": ("en", "de")}
    return as_message(strip(maps, **plain | {"link": None} | options))


def test_both_sides_with_their_tokens(maps):
    data = sent(maps, facts=[Fact("one"), Fact("two", "beware")], pin=Pin("output", 1))
    assert (data["source"]["text"], data["source"]["language"], data["output"]["language"]) == (SENTENCE, "en", "de")
    assert len(data["source"]["labels"]) == len(data["source"]["notes"]) == len(maps.source)
    assert len(data["output"]["labels"]) == len(data["output"]["notes"]) == len(maps.predicts)
    assert data["facts"] == [{"text": "one", "warning": ""}, {"text": "two", "warning": "beware"}]
    assert data["pin"] == {"side": "output", "index": 1}


def test_what_is_predicted_has_its_probability(maps):
    data = sent(maps)
    assert {note["probability"] for note in data["source"]["notes"]} == {None}
    found = [note["probability"] for note in data["output"]["notes"]]
    np.testing.assert_allclose(found, np.exp(maps.log_probs), atol=1e-5)


def test_tokens_beyond_those_of_training_are_marked(maps):
    data = sent(maps, trained={"source": 2, "output": None})
    assert [note["beyond"] for note in data["source"]["notes"]] == [False, False] + [True] * (len(maps.source) - 2)
    assert not any(note["beyond"] for note in data["output"]["notes"])


def test_what_was_cut_off_is_marked(translator, maps):
    assert (sent(maps)["source"]["cut_off"], sent(maps)["output"]["cut_off"]) == (False, False)
    data = sent(attention_maps(translator, SENTENCE, settings=SearchSettings(longest=4)))
    assert (data["source"]["cut_off"], data["output"]["cut_off"]) == (False, True)
    assert [label["special"] for label in data["output"]["labels"]] == [False] * 4


def test_other_languages_are_another_strip(maps):
    assert sent(maps)["signature"] != sent(maps, languages=("de", "en"))["signature"]
