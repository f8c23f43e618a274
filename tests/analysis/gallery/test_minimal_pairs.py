import pytest

from headscope.analysis.gallery import minimal_pairs
from headscope.analysis.gallery.minimal_pairs import PAIRS, told_apart, traced_pairs
from headscope.model.progress import Cancelled
from headscope.model.translator import load_translator
from tests.toys import letter_translator


@pytest.fixture(scope="module")
def translator():
    return load_translator("tatoeba-en-de-sinusoidal", "cpu")


def test_a_model_is_shown_by_the_pairs_that_it_tells_apart(translator, monkeypatch):
    found = told_apart(translator)
    assert 0 < len(found) < len(PAIRS)
    assert {pair.kind for pair in found} == {"gender", "ambiguous word", "written before"}
    monkeypatch.setattr(minimal_pairs, "PAIRS", (found[0], found[-1]))
    for traced in traced_pairs(translator):
        assert traced.patching.difference < 0 < traced.patching.other_difference
        assert traced.patching.source.text == traced.pair.sources[1]
        assert traced.patching.translations[0].text == traced.pair.translations[0]


def test_a_beginning_takes_the_place_of_the_shared_one():
    pair = next(pair for pair in PAIRS if pair.prefix)
    assert pair.translations == ("Der Studentin lachte.", "Der Student lachte.")
    assert pair.first_translations == ("Die Studentin lachte.", "Die Student lachte.")
    assert PAIRS[0].first_translations == PAIRS[0].translations


def test_a_model_of_other_languages_has_none():
    assert told_apart(letter_translator()) == []
    assert traced_pairs(letter_translator()) == []


def test_it_can_be_stopped(translator):
    class Stop:
        def update(self, done, total):
            raise Cancelled

    with pytest.raises(Cancelled):
        traced_pairs(translator, progress=Stop())
