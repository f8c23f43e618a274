"""Constraints in words."""

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.spelling import completions, in_words, piece_id
from headscope.model.text.language_tags import TaggedVocabulary
from headscope.model.text.symbol_vocabulary import SymbolVocabulary, pieces_of
from headscope.model.text.vocabulary_files import Tags

SYMBOLS = ["<pad>", "<unk>", "<s>", "</s>", "▁Hund", "▁Hand", "und", "7", "▁und", "__de__"]
VOCABULARY = SymbolVocabulary([SYMBOLS])


@pytest.mark.parametrize(
    ("spelling", "index"),
    [
        ("▁Hund", 4),
        ("Hund", 4),
        ("und", 6),
        ("▁und", 8),
        ("7", 7),
        ("5", 5),
        ("0", 0),
        ("</s>", 3),
        ("<unk>", 1),
        ("_und", 8),
        (" und", 8),
        ("_Hund", 4),
    ],
)
def test_piece(spelling, index):
    assert piece_id(VOCABULARY, spelling) == index


@pytest.mark.parametrize(
    ("spelling", "message"),
    [("Hunt", "'Hunt': similar ones are ▁Hund"), ("10", "from 0 to 9"), ("-1", "'-1'"), ("²", "'²'")],
)
def test_unknown_piece(spelling, message):
    with pytest.raises(HeadscopeError, match=message):
        piece_id(VOCABULARY, spelling)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("_H", [(4,), (5,)]),
        (" H", [(4,), (5,)]),
        ("▁Hu", [(4,)]),
        ("und", [(6,), (8,)]),
        ("_und", [(8,)]),
        ("h", []),
        ("7 und ", [(7, 6)]),
        ("</s>", [(3,)]),
        ("<", [(1,), (3,)]),
        ("  ", []),
        ("", []),
    ],
)
def test_what_may_be_meant(typed, found):
    assert completions(VOCABULARY, typed) == found


def test_a_whole_word_is_cut_into_pieces(translator):
    vocabulary = translator.vocabulary
    cut = vocabulary.encode("Jedenfalls", "target").ids
    assert len(cut) > 1
    for typed in ("Jedenfalls", "_Jedenfalls", " Jedenfalls"):
        assert cut in completions(vocabulary, typed)
    assert len(completions(vocabulary, "e")) == 8
    tagged = TaggedVocabulary(VOCABULARY, Tags(target=9))
    assert completions(tagged, "7 und") == [(7, 6)]


def test_words():
    found = in_words(VOCABULARY, prefix="▁Hund und", force=["7", "5"], forbid=["▁und", "</s>"])
    path = (4, 6, 7, 5)
    assert found == Constraints(prefix=path, forbidden=frozenset({(*path, 8), (*path, 3)}))
    assert in_words(VOCABULARY) == FREE
    assert in_words(VOCABULARY, forbid=["7"]) == Constraints(forbidden=frozenset({(7,)}))


def test_the_language_comes_first():
    tagged = TaggedVocabulary(VOCABULARY, Tags(target=9))
    assert in_words(tagged, prefix="7").prefix == (9, 7)
    assert in_words(tagged, force=["7"]).prefix == (9, 7)
    assert in_words(tagged, forbid=["7"]).forbidden == {(9, 7)}
    pieces = pieces_of(tagged)
    assert in_words(pieces, prefix="7") == in_words(pieces, prefix="__de__ 7") == in_words(tagged, prefix="7")
