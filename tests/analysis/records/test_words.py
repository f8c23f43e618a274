import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.words import SEVERAL, words
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import random_maps

SOURCE = ("Don't stop (now).", [(0, 3), (3, 5), (5, 8), (8, 10), (10, 12), (12, 13), (13, 15), (15, 17)])
TARGET = ("ein Hund", [(0, 3), (3, 6), (6, 8)])


def texts(tokens: Tokens) -> list[str]:
    return [token.piece for token in tokens.tokens]


@pytest.fixture
def maps() -> AttentionMaps:
    return random_maps(SOURCE, TARGET)


def test_words_and_their_places(maps: AttentionMaps):
    found = words(maps)
    assert texts(found.source) == ["Don't", "stop", "(", "now", ").", "</s>"]
    assert [found.source.text[slice(*token.span)] for token in found.source.tokens][:-1] == texts(found.source)[:-1]
    assert texts(found.reads) == ["<s>", "ein", "Hund"]
    assert texts(found.predicts) == ["ein", "Hund", "</s>"]
    assert [token.special for token in found.reads.tokens] == [True, False, False]
    assert [token.id for token in found.reads.tokens] == [2, 10, SEVERAL]


def test_keys_are_summed_and_queries_averaged(maps: AttentionMaps):
    found = words(maps)
    piece, word = maps.encoder[1][2], found.encoder[1][2]
    assert word[0, 1] == pytest.approx(piece[:2, 2:4].sum() / 2)  # from "Don" and "'t" to " st" and "op"
    assert word[4, 5] == pytest.approx(piece[7, 8])
    decoder, cross = maps.decoder[0][1], maps.cross[2][0]
    np.testing.assert_allclose(
        found.decoder[0][1],
        [
            [decoder[0, 0], decoder[0, 1], decoder[0, 2:].sum()],
            [decoder[1, 0], decoder[1, 1], decoder[1, 2:].sum()],
            [decoder[2:, 0].mean(), decoder[2:, 1].mean(), decoder[2:, 2:].sum(-1).mean()],
        ],
    )
    assert found.cross[2][0][2, 5] == pytest.approx(cross[2:4, 8].mean())


@pytest.mark.parametrize("pieces", [2, 3])
@pytest.mark.parametrize("rows", ["reads", "predicts"])
def test_words_of_what_was_cut_off(maps: AttentionMaps, rows, pieces: int):
    """The last piece stands alone: it is predicted, and nothing reads it."""
    cut = replace(
        maps,
        maps={
            "encoder": maps.encoder,
            "decoder": tuple(layer[:, :pieces, :pieces] for layer in maps.decoder),
            "cross": tuple(layer[:, :pieces] for layer in maps.cross),
        },
        allowed=maps.allowed | {"decoder": np.tri(pieces, dtype=bool), "cross": maps.allowed["cross"][:pieces]},
        reads=replace(maps.reads, tokens=maps.reads.tokens[:pieces]),
        predicts=replace(maps.predicts, tokens=maps.predicts.tokens[:pieces]),
        log_probs=maps.log_probs[:pieces],
    )
    found = words(cut, rows=rows)
    assert not found.finished
    assert texts(found.reads) == ["<s>", "ein", "Hu"][:pieces]
    assert texts(found.predicts) == ["ein", "Hu", "nd"][:pieces]
    assert found.cross[0].shape == (2, pieces, 6)
    np.testing.assert_allclose([layer.sum(-1) for layer in (*found.decoder, *found.cross)], 1)
    assert found.log_probs.sum() == pytest.approx(cut.log_probs.sum())


def test_rows_by_what_they_predict(maps: AttentionMaps):
    found, cross = words(maps, rows="predicts"), maps.cross[2][0]
    assert found.cross[2][0][1, 5] == pytest.approx(cross[1:3, 8].mean())  # the rows that predict " Hu" and "nd"
    assert found.cross[2][0][2, 5] == pytest.approx(cross[3, 8])
    assert found.cross[2].shape == words(maps).cross[2].shape
    assert found.fingerprint != words(maps).fingerprint != maps.fingerprint


def test_log_probability_of_a_word_is_that_of_its_pieces(maps: AttentionMaps):
    np.testing.assert_allclose(words(maps).log_probs, [maps.log_probs[0], maps.log_probs[1:3].sum(), maps.log_probs[3]])


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("我喜欢 café", [(0, 1), (1, 3), (3, 6), (6, 8)], ["我喜欢", "café"]),
        ("a 😀 b", [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (2, 3), (3, 5)], ["a", "😀", "b"]),
        ("  a  ", [(0, 2), (2, 3), (3, 5)], ["a"]),
        ("3.5 % – 'x'", [(0, 3), (3, 5), (5, 7), (7, 11)], ["3.5", "%", "–", "'x'"]),
        ("z.B. so", [(0, 2), (2, 4), (4, 7)], ["z.B.", "so"]),
        ("\u3000a\u00a0b", [(0, 2), (2, 4)], ["a", "b"]),
        ("of the end", [(0, 6), (6, 10)], ["of the", "end"]),
    ],
)
def test_what_a_word_is(text: str, spans: list[tuple[int, int]], expected: list[str]):
    found = words(random_maps((text, spans), TARGET))
    assert texts(found.source) == [*expected, "</s>"]


@given(st.text(alphabet="ab .,'-\u3000\n我", max_size=12), st.data())
def test_totals_are_kept_for_any_text(text: str, data: st.DataObject):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)) | {0, len(text)})
    spans = list(pairwise(cuts))
    maps = random_maps((text, spans), (text, spans))
    for rows in ("reads", "predicts"):
        found = words(maps, rows=rows)
        assert len(found.reads) == len(found.predicts) == len(found.source)
        for kind in ("encoder", "decoder", "cross"):
            for layer in found.layers(kind):
                assert layer.shape[1:] == (len(found.queries(kind)), len(found.keys(kind)))
                np.testing.assert_allclose(layer.sum(-1), 1)
        assert found.log_probs.sum() == pytest.approx(maps.log_probs.sum())


def test_pieces_of_sentencepiece(translator):
    text = "My neighbour's bees, however: they sting."
    found = words(attention_maps(translator, text, "Mein Nachbar hält Bienen."))
    assert texts(found.source) == ["My", "neighbour's", "bees", ",", "however", ":", "they", "sting", ".", "</s>"]
    assert texts(found.predicts) == ["Mein", "Nachbar", "hält", "Bienen", ".", "</s>"]
    for layer in found.cross:
        np.testing.assert_allclose(layer.sum(-1), 1, atol=1e-5)


def marked(text: str, mark: str) -> AttentionMaps:
    """A record of symbols with blanks between them, on both sides."""
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    maps = random_maps((text, spans), (text, spans))
    sides = {role: replace(getattr(maps, role), mark=mark) for role in ("source", "reads", "predicts")}
    return replace(maps, **sides)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("so un@@ believ@@ able , no", "@@"),
        ("so un ##believ ##able , no", "##"),
        ("▁so ▁un believ able , ▁no", "▁"),
        ("so un￭ believ ￭able ￭, no", "￭"),
    ],
)
def test_symbols_are_joined_by_their_marks(text: str, mark: str):
    maps = marked(text, mark)
    found = words(maps)
    assert texts(found.source) == ["so", "unbelievable", ",", "no", "</s>"]
    assert texts(found.predicts) == ["so", "unbelievable", ",", "no", "</s>"]
    assert texts(found.reads) == ["<s>", "so", "unbelievable", ",", "no"]
    assert [found.source.text[slice(*token.span)] for token in found.source.tokens[:-1]] == texts(found.source)[:-1]
    assert found.log_probs[1] == pytest.approx(maps.log_probs[1:4].sum())
    for layer in (*found.encoder, *found.cross, *found.decoder):
        np.testing.assert_allclose(layer.sum(-1), 1)


def test_symbols_without_marks_make_no_words():
    with pytest.raises(HeadscopeError, match=r"do not say where a word goes on \(with @@, ##, ▁, ￭\)"):
        words(marked("a b c", ""))


def test_pieces_typed_are_the_same_words(translator):
    sides = ("The neighbours sold the old house again", "source"), ("Die Nachbarn hielten Bienen", "target")
    pieces = [" ".join(translator.vocabulary.encode(text, side).pieces) for text, side in sides]
    expected = words(attention_maps(translator, *(text for text, _ in sides)))
    found = words(attention_maps(translator.in_pieces(), *pieces))
    for role in ("source", "reads", "predicts"):
        assert texts(getattr(found, role)) == texts(getattr(expected, role))
    for kind in ("encoder", "decoder", "cross"):
        for one, other in zip(found.layers(kind), expected.layers(kind), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-6)
