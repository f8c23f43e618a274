from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps, record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.positions.side_by_side import attention_of_both, read_by
from headscope.analysis.records.difference import difference
from headscope.analysis.records.words import words
from headscope.model.errors import HeadscopeError
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.translator import Translator
from tests.toys import SENTENCES, letter_translator, tiny_model


def another(translator: Translator, size: int) -> Translator:
    """A model of the same languages that cuts text into other pieces."""
    vocabulary = train_sentencepiece([text for pair in SENTENCES for text in pair], size)
    model = tiny_model(source_vocabulary=size, target_vocabulary=size)
    return Translator(model, vocabulary, replace(translator.card, name="another", config=model.config))


def test_twins_read_the_same_pieces():
    a, b = letter_translator(), letter_translator(positions="learned", position_table=16)
    pair = sentence_pair(a, "a b c", "c b a")
    found = attention_of_both(a, b, pair)
    assert found.unit == "pieces"
    change = difference(found.first, found.second)
    for kind in ("encoder", "decoder", "cross"):
        for layer, one, two in zip(
            change.layers(kind), record(a, pair).layers(kind), record(b, pair).layers(kind), strict=True
        ):
            np.testing.assert_allclose(layer, one - two, atol=1e-12)
            np.testing.assert_allclose(layer.sum(-1), 0, atol=1e-5)


def test_another_vocabulary_reads_the_same_text(translator):
    b = another(translator, 300)
    source, target = SENTENCES[0]
    found = attention_of_both(translator, b, sentence_pair(translator, source, target))
    assert found.unit == "words"
    assert [token.piece for token in found.second.source.tokens[:3]] == ["The", "old", "house"]
    alone = attention_maps(b, source, target)
    assert alone.cross[0].shape[1] > len(found.second.reads)
    for kind in ("encoder", "decoder", "cross"):
        np.testing.assert_allclose(found.second.layers(kind)[0], words(alone).layers(kind)[0], atol=1e-6)
    back = attention_of_both(b, translator, sentence_pair(b, source, target))
    np.testing.assert_array_equal(back.first.cross[0], found.second.cross[0])


def test_a_translation_that_was_cut_off_stays_so():
    a, b = letter_translator(), letter_translator(positions="rotary")
    pair = replace(sentence_pair(a, "a b c", "c b a"), finished=False)
    assert read_by(b, pair) is pair
    assert not attention_of_both(a, b, pair).second.finished


def test_other_languages_are_refused():
    a, b = letter_translator(), letter_translator()
    other = Translator(b.model, b.vocabulary, replace(b.card, languages=("ab", "cd")))
    with pytest.raises(HeadscopeError, match="same languages"):
        attention_of_both(a, other, sentence_pair(a, "a b", "b a"))
