import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.interventions.positions import Positionless
from headscope.analysis.positions.decoding import compared, decoded, exact_translations, free_translations
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES, random_letters

TEXTS = [(text, target) for text, target in zip(random_letters(9, 8, 1), random_letters(9, 8, 2), strict=True)]


def test_as_many_pieces_as_the_reference(reverser):
    pairs = corpus_pairs(reverser, TEXTS)
    for beam in (1, 3):
        found = exact_translations(reverser, pairs, settings=SearchSettings(beam=beam))
        assert [len(text.split()) for text in found] == [len(pair.target.ids) for pair in pairs]
    free = free_translations(reverser, pairs)
    assert free == [each.text for each in reverser.translate([pair.source.text for pair in pairs])]
    assert [len(text.split()) for text in free] != [len(pair.target.ids) for pair in pairs]
    # Where the reference is as long as what is found freely, greedy search finds the same.
    settings = SearchSettings(beam=1)
    own = free_translations(reverser, pairs, settings=settings)
    again = corpus_pairs(reverser, [(pair.source.text, text) for pair, text in zip(pairs, own, strict=True)])
    assert exact_translations(reverser, again, settings=settings) == own


def test_sentences_of_other_lengths_in_the_batch_change_nothing(reverser):
    pairs = corpus_pairs(reverser, TEXTS)
    settings = SearchSettings(beam=3)
    together = exact_translations(reverser, pairs, settings=settings)
    assert together == [exact_translations(reverser, [pair], settings=settings)[0] for pair in pairs]
    assert len({len(pair.target.ids) for pair in pairs}) > 3


def test_scores(translator):
    pairs = corpus_pairs(translator, SENTENCES)
    perfect = compared(translator, pairs, [target for _, target in SENTENCES])
    assert (perfect.bleu.value, perfect.chrf.value, perfect.length_ratio) == (100, 100, 1)
    assert "tok:13a" in perfect.bleu.signature
    half = compared(translator, pairs, [" ".join(target.split()[:2]) for _, target in SENTENCES])
    assert half.length_ratio < 0.5
    assert decoded(translator, pairs, exactly=True).length_ratio == pytest.approx(1, abs=0.3)


def test_a_probe_takes_part(translator):
    pairs = corpus_pairs(translator, SENTENCES)
    probe = Positionless()
    for find in (free_translations, exact_translations):
        assert find(translator, pairs, probe=probe) != find(translator, pairs)


def test_progress(reverser):
    told = []

    class Told:
        def update(self, done, total):
            told.append((done, total))

    pairs = corpus_pairs(reverser, TEXTS)
    exact_translations(reverser, pairs, Told())
    assert told[-1] == (len(pairs), len(pairs))
    assert told == sorted(told)
