"""Texts that open with a language tag."""

import json

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.text.language_tags import TaggedVocabulary, is_tag
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary import Vocabulary, load_vocabulary
from headscope.model.text.vocabulary_files import Tags

SYMBOLS = ["<pad>", "<unk>", "<s>", "</s>", "a", "b", ">>de<<", ">>fr<<", "__en__", "__de__"]


def tagged(**tags) -> TaggedVocabulary:
    return TaggedVocabulary(SymbolVocabulary([SYMBOLS]), Tags(**tags))


def test_is_tag():
    assert [piece for piece in (">>de<<", ">>", "<<", ">><<", ">>a<<b", "x>>a<<", "__de__") if is_tag(piece)] == [
        ">>de<<"
    ]


@pytest.mark.parametrize("vocabulary", [tagged(typed=True), tagged(source=8, target=9)])
def test_it_is_a_vocabulary(vocabulary):
    assert isinstance(vocabulary, Vocabulary)
    assert [vocabulary.piece(i, "target") for i in range(vocabulary.size("target"))] == SYMBOLS


def test_tags_that_are_not_typed_add_nothing_to_a_text():
    vocabulary = tagged(source=8, target=9)
    assert [vocabulary.spoken(index) for index in (8, 9, 4)] == [b"", b"", b" a"]
    assert tagged(typed=True).spoken(6) == b" >>de<<"


def test_typed_tag():
    found = tagged(typed=True).encode(">>fr<< a b", "source")
    assert (found.text, found.pieces, found.spans) == (">>fr<< a b", (">>fr<<", "a", "b"), ((0, 6), (7, 8), (9, 10)))
    assert found.ids == (7, 4, 5)


def test_typed_tags_are_for_sources():
    vocabulary = tagged(typed=True)
    assert vocabulary.prefix == ()
    assert vocabulary.encode("a b", "target").ids == (4, 5)


@pytest.mark.parametrize("text", ["a b", "a >>de<< b", " >>de<< a", ">> de << a", ">>en<< a"])
def test_tag_that_is_not_there(text):
    with pytest.raises(HeadscopeError, match="begin the text with one of >>de<<, >>fr<<"):
        tagged(typed=True).encode(text, "source")


@pytest.mark.parametrize("text", ["", "  ", ">>de<<", ">>de<< "])
def test_nothing_to_translate(text):
    assert tagged(typed=True).encode(text, "source").ids == ()
    assert tagged(source=8).encode(text.replace(">>de<<", ""), "source").ids == ()
    assert tagged(typed=True).encode_ids([text], "source") == [[]]


def test_the_only_language_need_not_be_named():
    one = SymbolVocabulary([[*SYMBOLS[:6], ">>de<<"]])
    vocabulary = TaggedVocabulary(one, Tags(typed=True))
    assert vocabulary.encode("a b", "source").ids == (4, 5)
    assert vocabulary.encode(">>de<< a b", "source").ids == (6, 4, 5)


def test_tags_that_are_not_typed():
    vocabulary = tagged(source=8, target=9)
    assert vocabulary.prefix == (9,)
    source, target = vocabulary.encode("a b", "source"), vocabulary.encode("a b", "target")
    assert (source.ids, source.spans) == ((8, 4, 5), ((0, 0), (0, 1), (2, 3)))
    assert (target.ids, target.pieces) == ((9, 4, 5), ("__de__", "a", "b"))
    assert vocabulary.encode_ids(["a b", ""], "source") == [[8, 4, 5], []]
    assert vocabulary.encode_ids(["a b", ""], "target") == [[9, 4, 5], [9]]


def test_tags_that_are_not_typed_are_no_text():
    vocabulary = tagged(source=8, target=9)
    found = vocabulary.locate([9, 4, 5], "target")
    assert (found.text, found.ids, found.pieces) == ("a b", (9, 4, 5), ("__de__", "a", "b"))
    assert found.spans == ((0, 0), (0, 1), (2, 3))
    assert vocabulary.decode([9, 4]) == "a"


@pytest.mark.parametrize("tags", [{"typed": True}, {"source": 8, "target": 9}, {"target": 9}])
def test_stored_and_loaded(tmp_path, tags):
    tagged(**tags).save(tmp_path)
    loaded = load_vocabulary(tmp_path)
    text = ">>de<< a b"
    assert loaded.encode(text, "source") == tagged(**tags).encode(text, "source")
    assert loaded.prefix == tagged(**tags).prefix


def test_stored_tag_that_is_no_piece(tmp_path):
    tagged(source=8, target=9).save(tmp_path)
    file = tmp_path / "vocabulary.json"
    content = json.loads(file.read_text())
    content["tags"]["target"] = 10
    file.write_text(json.dumps(content))
    with pytest.raises(HeadscopeError, match="target tag = 10, but the last of its pieces has id 9"):
        load_vocabulary(tmp_path)
