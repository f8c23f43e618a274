"""Searching a corpus in many ways."""

import dataclasses

import pytest
from sacrebleu import sentence_chrf

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.search.curves import (
    Searched,
    greedy_and_beam,
    modes,
    search_corpus,
    search_study,
    worked_examples,
)
from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Hypothesis
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import Translation, Translator
from tests.toys import SENTENCES


def test_every_beam_with_and_without_penalty(translator, searched):
    assert sorted(searched.points) == [(beam, alpha) for beam in (1, 2, 3, 4) for alpha in (0.0, 0.6)]
    assert searched.best == (4, 0.6)
    for (beam, alpha), point in searched.points.items():
        assert (point.beam, point.alpha) == (beam, alpha)
        assert point.bleu.value == 100  # the model knows them by heart
        assert point.length_ratio == 1
        assert (point.empty, point.cut_off) == (0, 0)
        totals = [t.hypotheses[0].total for t in searched.translations[beam, alpha]]
        assert point.log_prob == pytest.approx(sum(totals) / len(totals), abs=1e-3)


def test_own_settings_are_kept(translator):
    card = dataclasses.replace(
        translator.card, search=SearchSettings(beam=2, penalty=LengthPenalty(1.0, "power"), longest=3)
    )
    own = Translator(translator.model, translator.vocabulary, card)
    found = search_corpus(own, SENTENCES[:2], beams=(1,))
    assert sorted(found.points) == [(1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0)]
    assert found.points[2, 1.0].cut_off == 2
    assert found.translations[2, 1.0] == tuple(own.translate([source for source, _ in SENTENCES[:2]]))


def test_blank_sentences_are_refused(translator):
    with pytest.raises(HeadscopeError, match="it is blank"):
        search_corpus(translator, [(" ", "x")], beams=(1,))


def translation(text: str, total: float) -> Translation:
    """Words are pieces; equal words have equal ids."""
    ids = tuple(sum(map(ord, word)) for word in text.split())
    segmentation = Segmentation(text, ids, tuple(text.split()), ((0, 0),) * len(ids))
    hypothesis = Hypothesis(ids, (0.0,) * (len(ids) + 1), total, total, finished=True)
    return Translation(segmentation, (hypothesis,), (segmentation,))


OWN = SearchSettings()
PAIRS = [("one", "the right words"), ("two", "a long right answer"), ("three", "nothing like it")]
SEARCHES = {
    (1, 0.6): [("the wrong words", -3.0), ("a long right answer", -4.0), ("nothing like it", -2.0)],
    (4, 0.6): [("the right words", -2.0), ("a long right thing", -4.0), ("nothing like it", -2.0)],
    (4, 0.0): [("right", -1.0), ("a long right answer", -4.0), ("nothing like it", -2.0)],
    (9, 0.0): [("right", -1.0), ("a", -3.0), ("nothing else like it", -1.0)],
}


@pytest.fixture(scope="module")
def made(searched) -> Searched:
    translations = {setting: [translation(*each) for each in found] for setting, found in SEARCHES.items()}
    return Searched(PAIRS, OWN, dict.fromkeys(SEARCHES, searched.points[1, 0.6]), translations)


def test_greedy_and_beam_by_hand(made):
    found = greedy_and_beam(made)
    assert (found.both, found.beam_alone, found.greedy_alone, found.neither) == (1, 1, 1, 0)
    assert (found.beam, found.less_probable) == (4, 1)


def test_examples_by_hand(made):
    found = worked_examples(made)
    assert [(e.lesson, e.source, e.a.text, e.b.text) for e in found] == [
        ("greedy", "one", "the wrong words", "the right words"),
        ("large beam", "two", "a long right answer", "a"),
        ("penalty", "one", "right", "the right words"),
    ]
    large = found[1]
    assert (large.a.beam, large.b.beam, large.b.alpha, large.b.pieces) == (4, 9, 0.0, 2)
    assert large.b.chrf == pytest.approx(sentence_chrf("a", ["a long right answer"]).score, abs=0.01)


def test_examples_show_each_source_once(made):
    twice = [*PAIRS, ("one", "the right words !"), ("four", "the right words")]
    translations = {
        setting: [*found, translation("right", -1.0), translation("right", -1.0)]
        for setting, found in made.translations.items()
    }
    translations[4, 0.6][3:] = [translation("the right words !", -2.0), translation("the right words", -2.0)]
    found = worked_examples(Searched(twice, OWN, made.points, translations))
    shown = [(each.lesson, each.source) for each in found]
    assert shown.count(("penalty", "one")) == 1
    assert ("penalty", "four") in shown
    assert len(set(shown)) == len(shown)


def test_modes(translator):
    found = modes(translator, [SENTENCES[1], SENTENCES[3]])
    assert (found.sentences, found.proven, found.empty, found.beam_found) == (2, 2, 0, 2)
    short = modes(translator, [("bees and mountains", "")], nodes=1)
    assert (short.sentences, short.proven, short.beam_found, short.budget) == (1, 0, 0, 1)


def test_all_of_it(translator):
    told = []

    class Watch:
        def update(self, done: int, total: int | None) -> None:
            told.append((done, total))

    texts = Texts([*SENTENCES[2:4], ("blank", " ")], "toys", "none", "nobody")
    found = search_study(translator, texts, beams=(2,), exact=1, nodes=30, progress=Watch())
    assert (found.weights, found.data, found.sentences) == (translator.weights_digest, "toys", 2)
    assert [(point.beam, point.alpha) for point in found.points] == [(b, a) for b in (1, 2, 4) for a in (0.0, 0.6)]
    assert (found.greedy.both, found.modes.sentences, found.modes.budget) == (2, 1, 30)
    assert {total for _, total in told} == {2 * 6 + 1}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == 13
    with pytest.raises(HeadscopeError, match="none of the 1 sentence pairs"):
        search_study(translator, Texts([("blank", " ")], "toys", "none", "nobody"))
