"""What counts as blank, and that no vocabulary cuts it into pieces."""

import pytest

from headscope.model.text.blank import is_blank
from headscope.model.text.language_tags import TaggedVocabulary
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary_files import Tags

INVISIBLE = [
    *("", " ", "\t\r\n", "\u3000", "\x85\u2028\u2029", "\x00\x1f\x7f"),
    *("\u200b", "\u00ad", "\u200c\u200d\u2060\ufeff", "\u200e\u202e", "\u3164\u115f\uffa0", "\u2800", "\ufe0f"),
]
VISIBLE = ["a", ".", "\u0301", "日", "\U0001f642", "\u200b-\u200b", "\ue000", "\u0600"]
SYMBOLS = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", ">>deu<<", ">>fra<<", "a"]])
VOCABULARIES = [
    SYMBOLS,
    train_sentencepiece(["The old house by the river.", "Das alte Haus am Fluss."], 300),
    TaggedVocabulary(SYMBOLS, Tags(typed=True)),
]


@pytest.mark.parametrize("text", INVISIBLE)
def test_nothing_to_see(text: str):
    assert is_blank(text)
    for vocabulary in VOCABULARIES:
        found = vocabulary.encode(text)
        assert (found.text, found.ids, found.pieces, found.spans) == (text, (), (), ())
        assert vocabulary.encode_ids([text, text]) == [[], []]


@pytest.mark.parametrize("text", VISIBLE)
def test_something_to_see(text: str):
    assert not is_blank(text)
    for vocabulary in VOCABULARIES[:2]:
        assert vocabulary.encode(text).ids
        assert vocabulary.encode_ids([text])[0]


def test_what_stands_for_an_error_is_seen():
    assert not is_blank("\ufffd")
    assert not is_blank(chr(0xD800))
