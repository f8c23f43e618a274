"""What is warned of."""

from dataclasses import replace

import pytest

from headscope.analysis.capture.pairs import SentencePair, found_pair
from headscope.analysis.measures.warnings import (
    SAID,
    WarningKind,
    beyond_training,
    mostly_unknown,
    repetition,
    warnings_of,
)
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator, load_translator
from tests.toys import letter_translator


@pytest.fixture(scope="module")
def letters() -> Translator:
    """The longest training sentences had 5 pieces, end of sentence included."""
    plain = letter_translator()
    return Translator(
        plain.model, plain.vocabulary, replace(plain.card, positions={"source": (1,) * 5, "target": (1,) * 5})
    )


def kinds(translator: Translator, source: str, target: str, *, finished: bool = True) -> list[str]:
    encode = translator.vocabulary.encode
    pair = SentencePair(encode(source, "source"), encode(target, "target"), finished)
    return list(map(str, warnings_of(translator, pair)))


def test_nothing_is_warned_of_without_cause(letters):
    assert kinds(letters, "a b c d", "a b c d") == []
    assert kinds(letters, "a", "") == []


def test_each_kind(letters):
    assert kinds(letters, "a", "b c d e", finished=False) == ["cut off"]
    assert kinds(letters, "a b c d e", "b") == ["source longer than in training"]
    assert kinds(letters, "a", "b c d e f") == ["translation longer than in training"]
    assert kinds(letters, "a ? ?", "b") == ["mostly unknown pieces"]
    assert kinds(letters, "a ?", "b") == []
    assert kinds(letter_translator(), "a", "b b b b b") == ["repeats itself"]
    assert list(SAID) == list(WarningKind)


def test_what_the_source_repeats_may_be_repeated():
    verse, other = "a b c d e a b c d e", "f g h i j f g h i j"
    assert kinds(letter_translator(), verse, other) == []
    assert kinds(letter_translator(), "a b c d e", other) == ["repeats itself"]


@pytest.mark.parametrize(
    ("pieces", "n", "share"),
    [
        ((), 4, 0),
        ((1, 1, 1), 4, 0),
        ((1, 1, 1, 1, 1), 4, 1 / 2),
        ((1, 2, 1, 2, 1, 2), 2, 3 / 5),
        ((1, 2, 3, 4, 5), 4, 0),
    ],
)
def test_share_of_n_grams_that_are_repeated(pieces, n, share):
    assert repetition(pieces, n) == pytest.approx(share)


def test_length_beyond_training(letters):
    assert [beyond_training(letters.card, "source", pieces) for pieces in (5, 6)] == [False, True]
    assert not beyond_training(letter_translator().card, "source", 1000)


def test_a_model_that_reads_no_end_of_sentence_counts_none():
    plain = letter_translator(source_end=False)
    counted = replace(plain.card, positions={"source": (1,) * 5})
    assert kinds(Translator(plain.model, plain.vocabulary, counted), "a b c d e", "b") == []


def test_text_in_the_place_of_pieces(translator):
    pieces = translator.in_pieces()
    assert mostly_unknown(pieces, pieces.source("Mountains everywhere, neighbours."))
    assert not mostly_unknown(pieces, pieces.source(" ".join(translator.source("We could not see.").pieces)))
    assert not mostly_unknown(translator, translator.source("We could not see the mountains."))


def test_a_shipped_translation_goes_round_in_circles():
    translator = load_translator("tatoeba-en-de-learned", "cpu")
    found, fine = translator.translate(["Mid-Summer CNN", "How much does a ticket cost?"])
    assert list(map(str, warnings_of(translator, found_pair(found)))) == ["cut off", "repeats itself"]
    assert warnings_of(translator, found_pair(fine)) == ()
    (short,) = translator.translate(["How much does a ticket cost?"], settings=SearchSettings(longest=3))
    assert list(map(str, warnings_of(translator, found_pair(short)))) == ["cut off"]
