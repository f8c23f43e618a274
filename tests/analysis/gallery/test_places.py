"""Places that questions are about, and who does what is asked there."""

import re

import numpy as np
import pytest

from headscope.analysis.gallery.lexicon import references
from headscope.analysis.gallery.places import Place, before_prefix, final_verb, prefix, referent, shares, twins
from headscope.analysis.records.attention_maps import AttentionMaps
from tests.analysis.handmade import random_maps, with_maps


def pair(source: str, target: str) -> AttentionMaps:
    """Random maps over words and punctuation marks; a piece takes the blank before it along, as SentencePiece does."""

    def pieces(text: str) -> tuple[str, list[tuple[int, int]]]:
        return text, [match.span() for match in re.finditer(r" ?\w+| ?[^\w\s]", text)]

    return random_maps(pieces(source), pieces(target))


def spelt(maps: AttentionMaps, place: Place, kind: str) -> tuple[str, set[str]]:
    """What a row is about to write, and what it is to look at."""
    keys = maps.keys(kind).tokens  # type: ignore[arg-type]
    return maps.predicts.tokens[place.row].piece.strip("▁"), {keys[key].piece.strip("▁") for key in place.wanted}


def test_names_and_numbers_spelt_alike():
    maps = pair("Tom met Mary in Boston in 2013.", "Tom hat Maria 2013 in Boston getroffen.")
    places = [spelt(maps, place, "cross") for place in twins(maps)]
    assert sorted(places) == [("2013", {"2013"}), ("Boston", {"Boston"}), ("Tom", {"Tom"})]
    assert {place.pin for place in twins(maps)} == {("output", place.row) for place in twins(maps)}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Tom saw Tom.", "Tom sah Tom."),  # which is which?
        ("Was it he?", "Was war es?"),  # two words with one spelling
        ("I see it.", "Ich sehe es."),
    ],
)
def test_what_is_no_certain_twin(source, target):
    assert twins(pair(source, target)) == []


def test_the_verb_at_the_end():
    maps = pair("I have never read this long book.", "Ich habe dieses lange Buch nie gelesen.")
    assert [spelt(maps, place, "cross") for place in final_verb(maps)] == [("gelesen", {"read"})]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("I want to read it.", "Ich möchte es lesen."),  # one word behind the verb is not far
        ("I read what you read in there.", "Ich habe gelesen, was du dort gelesen"),  # twice
        ("I have a book in my bag.", "Ich habe ein Buch."),  # no verb at the end
        ("I bought this long book.", "Ich habe dieses Buch gelesen."),  # another verb
        ("...", "..."),
    ],
)
def test_no_verb_at_the_end(source, target):
    assert final_verb(pair(source, target)) == []


def test_a_separated_prefix():
    maps = pair("I will call you tomorrow.", "Ich rufe dich morgen früh an.")
    assert [spelt(maps, place, "decoder") for place in prefix(maps)] == [("an", {"rufe"})]
    # What has been read is "dich" and "morgen"; from "früh" on, the prefix is written.
    read = [maps.reads.tokens[place.row].piece.strip("▁") for place in before_prefix(maps)]
    assert read == ["dich", "morgen"]


@pytest.mark.parametrize(
    "target",
    [
        "Ich rufe dich an.",  # one word between them
        "Ich gehe und rufe dich morgen früh an.",  # "gehe ... an" is one, too
        "Ich bin heute nicht gut drauf.",
        "Ein Schauspieler kommt uns beiden zu.",  # an actor is no verb
        "",
    ],
)
def test_no_separated_prefix(target):
    assert prefix(pair("I will call you.", target)) == []


def test_it_and_its_two_things():
    for reference in list(references())[:4]:
        maps = pair(reference.text, "Nichts.")
        (place,) = referent(maps, reference)
        pieces = [token.piece.strip("▁") for token in maps.source.tokens]
        assert pieces[place.row] == "it"
        assert {pieces[key] for key in place.wanted} == {reference.right}
        assert {pieces[key] for key in place.rivals or ()} == {reference.wrong}


def test_largest_weight_with_the_end_of_sentence_left_aside():
    rows = np.array([[0.1, 0.3, 0.0, 0.6], [0.5, 0.2, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25]])
    maps = with_maps(cross=rows)
    wanted = [Place(0, frozenset({1})), Place(1, frozenset({1, 2}))]
    assert shares(maps, "cross", wanted[:1])[0].tolist() == [1]
    assert shares(maps, "cross", wanted)[0].tolist() == [0.5]


def test_two_rivals():
    maps = with_maps(encoder=np.array([[0.4, 0.35, 0.25], [0.3, 0.3, 0.4], [0.2, 0.5, 0.3]]))
    for row, expected in enumerate([1, 0, 0]):  # of equals, neither has more
        assert shares(maps, "encoder", [Place(row, frozenset({0}), frozenset({1}))])[0].tolist() == [expected]
