from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.text.symbol_vocabulary import SymbolVocabulary, join
from headscope.model.text.vocabulary import load_vocabulary

SOURCE = ["<pad>", "<unk>", "<s>", "</s>", "a", "b@@", "ß"]
TARGET = ["x", "</s>", "y", "<s>", "<unk>"]


def test_symbols_are_what_stands_between_blanks():
    found = SymbolVocabulary([SOURCE]).encode("  a ?\tb@@\u3000ß </s>")
    assert found.ids == (4, 1, 5, 6, 1)
    assert found.pieces == ("a", "<unk>", "b@@", "ß", "<unk>")
    assert found.spans == ((2, 3), (4, 5), (6, 9), (10, 11), (12, 16))


@given(st.text(st.one_of(st.sampled_from("aß \t\x1c\x85\u2028"), st.characters()), max_size=12))
def test_encode_ids_is_the_same_fast(text: str):
    vocabulary = SymbolVocabulary([SOURCE])
    assert vocabulary.encode_ids([text]) == [list(vocabulary.encode(text).ids)]


def test_located_symbols():
    found = SymbolVocabulary([SOURCE]).locate([2, 4, 1, 0, 6, 3])
    assert found.text == "a <unk> ß"
    assert found.spans == ((0, 0), (0, 1), (2, 7), (7, 7), (8, 9), (9, 9))


def test_two_tables_come_back_from_a_folder(tmp_path: Path):
    SymbolVocabulary([SOURCE, TARGET], pad=3, unknown=4, start=3, end=1).save(tmp_path / "vocabulary")
    loaded = load_vocabulary(tmp_path / "vocabulary")
    assert (loaded.pad, loaded.unknown, loaded.start, loaded.end) == (3, 4, 3, 1)
    assert (loaded.size("source"), loaded.size("target")) == (7, 5)
    assert loaded.encode("a x", "source").ids == (4, 4)
    assert loaded.encode("x y </s>", "target").ids == (0, 2, 4)
    assert loaded.decode([2, 0, 1]) == "y x"
    assert loaded.piece(6, "source") == "ß"


@pytest.mark.parametrize(
    ("symbols", "mark", "text"),
    [
        ("un@@ believ@@ able !", "@@", "unbelievable !"),
        ("un ##believ ##able ! ## x", "##", "unbelievable ! ## x"),
        ("▁un believ able ▁x ▁ y", "▁", "unbelievable x y"),
        ("un￭ believ ￭able ￭! ￭ @@", "￭", "unbelievable! ￭ @@"),
        ("▁of▁the ▁end", "▁", "of the end"),
        ("a b", "", None),
        ("@@ ## a", "", None),
    ],
)
def test_words_of_symbols(symbols: str, mark: str, text: str | None):
    vocabulary = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *symbols.split()]])
    for found in (vocabulary.encode(symbols), vocabulary.locate(vocabulary.encode(symbols).ids)):
        assert found.mark == mark
    if text is not None:
        joined, spans = join(symbols.split(), mark)
        assert joined == text
        strip = {"@@": "@", "##": "#", "▁": "▁", "￭": "￭"}[mark]
        for symbol, (start, end) in zip(symbols.split(), spans, strict=True):
            assert joined[start:end] in (symbol, symbol.strip(strip).replace("▁", " "))


def test_each_side_has_its_mark():
    vocabulary = SymbolVocabulary([[*SOURCE, "##c"], [*TARGET, "▁x", "▁y", "z@@"]])
    assert vocabulary.encode("a").mark in ("@@", "##")
    assert vocabulary.encode("x", "target").mark == vocabulary.locate([0]).mark == "▁"


def test_pieces_of_sentencepiece_open_words_with_their_blank(translator):
    assert translator.in_pieces().vocabulary.encode("▁a").mark == "▁"
    assert translator.vocabulary.encode("a").mark is None


@pytest.mark.parametrize(
    ("symbols", "text"),
    [
        (["Hun@@", "d", "a"], "Hund a"),
        (["Hun", "##d", "a"], "Hund a"),
        (["▁Hun", "d", "▁a"], "Hund a"),
        (["Hun", "d", "a"], "Hun d a"),
        (["Hun￭", "d", "a"], "Hun￭ d a"),
    ],
)
def test_what_symbols_add_to_a_text(symbols: list[str], text: str):
    vocabulary = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *symbols]])
    assert b"".join(map(vocabulary.spoken, (2, 4, 5, 6, 3))).decode().strip() == text
