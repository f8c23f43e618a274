"""Words that are written piece by piece."""

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.search.word_parts import Part, PieceTexts, WantedWord, Word, joins


def test_letters_join_words_but_not_where_none_are_parted():
    assert [joins(character) for character in "aß9_ािー猫ひคខ -.’"] == [True] * 6 + [False] * 9


def test_how_much_of_a_word_stands_at_the_end():
    pieces = ["a", "b", " ", "ab ", "-"]
    word, part, found = Word("aab", PieceTexts([piece.encode() for piece in pieces])), Part(), []
    for piece in "aaab":
        part, stands = word.after(part, pieces.index(piece))
        found.append((part.letters, part.before, stands))
    assert found == [(1, " ", False), (2, " ", False), (0, "x", False), (0, "x", False)]
    assert word.after(Part(), 2) == (Part(), False)
    assert word.after(Part(), 4) == (Part(before="."), False)
    part, stands = word.after(Part(letters=1), 3)
    assert (part, stands) == (Part(), True)
    assert word.ending(Part(letters=3)) == {2, 4}
    assert word.ending(Part(letters=2)) == {1}
    assert word.ending(Part(letters=1)) == {3}
    assert word.ending(Part()) == frozenset()


@pytest.mark.parametrize(
    ("pieces", "cut", "written"),
    [
        ([" Ka", "tze", " Kat", "ze", " K", "atze"], (0, 1), [0, 1]),
        ([" Ka", "tze", " Kat", "ze"], (), [2, 3]),
        ([" ", "Katze", "K"], (0, 1), [1]),
        (["Kat", "ze "], (), [0, 1]),
        (["K", "a", "t", "z", "e", "Katz"], (), [5, 4]),
    ],
)
def test_the_pieces_that_write_a_word(pieces, cut, written):
    """Those of the vocabulary's own cut, or else as few as there can be, the first ones as long as can be."""
    word, part, found = WantedWord("Katze", PieceTexts([piece.encode() for piece in pieces]), cut), Part(), []
    while following := word.following(part):
        found.append(following[0])
        part, stands = word.after(part, following[0])
        assert word.pieces_of(part) == len(found) or stands
        if stands:
            break
    assert found == written
    assert word.length == len(written)


def test_behind_another_word_a_blank_comes_first():
    texts = PieceTexts([b" ", b"Katze", b"x"])
    word = WantedWord("Katze", texts, (0, 1))
    assert [word.following(Part(before=before)) for before in "x. "] == [[0], [0], [1]]
    with pytest.raises(HeadscopeError, match="cannot write 'Hund'"):
        WantedWord("Hund", texts, ())
