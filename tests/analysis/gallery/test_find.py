"""Examples found in small models: their numbers, taken another way."""

import numpy as np
import pytest

from headscope.analysis.attribution.importance import removal_importance
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.gallery.choice import for_numbers
from headscope.analysis.gallery.find import LONGEST, SHORTEST, find_examples
from headscope.analysis.gallery.lexicon import references
from headscope.analysis.gallery.questions import QUESTIONS
from headscope.analysis.measures.head_measures import head_measures
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES, random_letters

QUICK = SearchSettings(beam=1, longest=8)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return sorted(set(random_letters(30, 9, seed=5)))


@pytest.fixture(scope="module")
def maps(reverser, texts) -> dict[str, AttentionMaps]:
    return {text: attention_maps(reverser, text, settings=QUICK) for text in texts}


@pytest.fixture(scope="module")
def gallery(reverser, texts):
    pairs = [(text, text[::-1]) for text in [*texts, texts[0]]]
    return find_examples(reverser, Texts(pairs, "letters", "CC0", "nobody"), settings=QUICK)


def test_it_says_how_far_it_is(reverser, texts):
    told = []

    class Watch:
        def update(self, done: int, total: int | None) -> None:
            told.append((done, total))

    pairs = [(text, text) for text in texts[:6]]
    find_examples(reverser, Texts(pairs, "", "", ""), settings=QUICK, removed=4, progress=Watch())
    assert {total for _, total in told} == {2 * 6 + 4}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == 16


def test_nothing_to_translate(reverser):
    with pytest.raises(HeadscopeError, match="none of the 1 sentences can be translated"):
        find_examples(reverser, Texts([(" ", "x")], "", "", ""), settings=QUICK)


def test_what_it_was_made_from(gallery, reverser):
    assert gallery.weights == reverser.weights_digest
    assert (gallery.data, gallery.licence, gallery.attribution, gallery.gold) == ("letters", "CC0", "nobody", "")
    assert (gallery.beam, gallery.length_penalty) == (1, 0.6)


def test_questions_of_other_languages_and_without_a_place_are_left_out(gallery):
    asked = [example.question for example in gallery.examples]
    assert asked == [name for name in QUESTIONS if name in asked]
    assert not {"twins", "final_verb", "prefix", "referent"} & set(asked)
    assert {"diagonality", "previous_peak", "idle", "needed"} <= set(asked)


def test_a_translation_that_was_cut_off_says_so(gallery, maps):
    shown = [sentence for example in gallery.examples for sentence in (example.sentence, example.counter) if sentence]
    assert {sentence.finished for sentence in shown} == {True, False}
    for sentence in shown:
        assert sentence.finished == maps[sentence.source].finished
        assert len(sentence.map) in (len(maps[sentence.source].reads), len(maps[sentence.source].source))


@pytest.mark.parametrize("question", ["previous_peak", "diagonality", "end"])
def test_chosen_on_one_half_reported_from_the_other(gallery, maps, question):
    (example,) = (example for example in gallery.examples if example.question == question)
    found = {text: head_measures(record) for text, record in maps.items()}
    heads = next(iter(found.values())).heads
    about = [i for i, head in enumerate(heads) if head.kind in QUESTIONS[question].kinds]
    heads = [heads[i] for i in about]

    def means(half: bool) -> np.ndarray:
        return np.nanmean([m.values[question][about] for text, m in found.items() if for_numbers(text) == half], 0)

    assert example.head == heads[int(np.argmax(means(False)))]
    at = heads.index(example.head)
    assert example.number.value == pytest.approx(means(True)[at], rel=1e-4)
    others = [i for i, head in enumerate(heads) if head[:2] == example.head[:2] and i != at]
    assert example.control.value == pytest.approx(means(True)[others].mean(), rel=1e-4)
    for shown in (example.sentence, example.counter):
        assert for_numbers(shown.source)
        assert SHORTEST <= len(shown.source.split()) <= LONGEST
        assert shown.target == maps[shown.source].predicts.text
        assert shown.value == pytest.approx(found[shown.source].values[question][about[at]], abs=1e-4)
        layer = maps[shown.source].layers(example.head.kind)[example.head.layer]
        np.testing.assert_allclose(shown.weights, layer[example.head.head], atol=1 / 500)
    assert example.sentence.value >= example.counter.value


def test_the_head_that_matters_least_and_the_one_that_matters_most(gallery, reverser, maps, texts):
    pairs = {text: sentence_pair(reverser, text, settings=QUICK) for text in texts}
    changes = {text: removal_importance(reverser, pair) for text, pair in pairs.items()}
    for question, pick in (("idle", np.argmin), ("needed", np.argmax)):
        (example,) = (example for example in gallery.examples if example.question == question)
        halves = [
            np.mean([found.importance for text, found in changes.items() if for_numbers(text) == half], 0)
            for half in (False, True)
        ]
        heads = changes[texts[0]].heads
        assert example.head == heads[pick(halves[0])]
        assert example.number.value == pytest.approx(halves[1][heads.index(example.head)], rel=1e-3)
        assert "unchanged" in example.also


def test_it_and_its_two_things_in_a_model_of_german(translator):
    gallery = find_examples(translator, Texts(SENTENCES, "five sentences", "CC0", "nobody"), settings=QUICK)
    (example,) = (example for example in gallery.examples if example.question == "referent")
    held = [reference for reference in references() if reference.frame % 2]
    assert example.number.sentences == len(held)
    assert example.sentence.source in {reference.text for reference in held}
    maps = attention_maps(translator, example.sentence.source, settings=QUICK)
    assert example.sentence.pin is not None
    side, row = example.sentence.pin
    assert (side, maps.source.tokens[row].span[1]) == ("source", maps.source.text.index(" it ") + 3)
