"""`--pieces`: text is pieces of the vocabulary, in and out."""

import json
from pathlib import Path

import pytest

from headscope.model.checkpoint import save_checkpoint
from headscope.model.text.language_tags import TaggedVocabulary
from headscope.model.text.symbol_vocabulary import SymbolVocabulary, pieces_of
from headscope.model.text.vocabulary_files import Tags
from tests.toys import SENTENCES, tiny_model

SOURCE, TARGET = SENTENCES[3]


def spelt(translator, text: str, side: str) -> str:
    return " ".join(translator.vocabulary.encode(text, side).pieces)


def test_translate(command, checkpoint, translator, tmp_path):
    file = tmp_path / "text"
    file.write_text(f"{spelt(translator, SOURCE, 'source')}\n\n", "utf-8")
    found = command("translate", "--checkpoint", checkpoint, "--pieces", file)
    assert found.lines == [spelt(translator, TARGET, "target"), ""]
    assert command("translate", "--checkpoint", checkpoint, "--pieces", "--json", file).code == 0


def test_score(command, checkpoint, translator, tmp_path):
    (tmp_path / "plain.jsonl").write_text(json.dumps({"source": SOURCE, "target": TARGET}), "utf-8")
    pieces = {"source": spelt(translator, SOURCE, "source"), "target": spelt(translator, TARGET, "target")}
    (tmp_path / "pieces.jsonl").write_text(json.dumps(pieces), "utf-8")
    plain = command("score", "--checkpoint", checkpoint, "--jsonl", tmp_path / "plain.jsonl")
    found = command("score", "--checkpoint", checkpoint, "--pieces", "--jsonl", tmp_path / "pieces.jsonl")
    assert (found.code, found.out) == (0, plain.out)


def test_attend(command, checkpoint, translator, tmp_path):
    def attend(name: str, source: str, target: str, *options: str) -> dict:
        given = ("--source", source, "--target", target, "--out", tmp_path / name)
        assert command("attend", "--checkpoint", checkpoint, *given, *options).code == 0
        return json.loads((tmp_path / name).read_text("utf-8"))

    source, target = spelt(translator, SOURCE, "source"), spelt(translator, TARGET, "target")
    plain, pieces = attend("plain.json", SOURCE, TARGET), attend("pieces.json", source, target, "--pieces")
    assert (pieces["source"]["text"], pieces["predicts"]["text"]) == (source, target)
    for part in ("source", "reads", "predicts"):
        ids, known = ([token["id"] for token in found[part]["tokens"]] for found in (pieces, plain))
        assert ids == known
    assert pieces["cross"] == plain["cross"]
    assert pieces["log_probs"] == plain["log_probs"]


def test_an_unknown_piece(command, checkpoint, tmp_path):
    file = tmp_path / "text"
    file.write_text("nonsense\n")
    found = command("translate", "--checkpoint", checkpoint, "--pieces", "--json", file)
    assert json.loads(found.out)["source_pieces"] == ["<unk>"]


def test_ids_stay_the_same(translator):
    symbols = pieces_of(translator.vocabulary)
    for side in ("source", "target"):
        ids = translator.vocabulary.encode(SOURCE, side).ids
        assert symbols.encode(spelt(translator, SOURCE, side), side).ids == ids
        assert symbols.decode(ids, side) == spelt(translator, SOURCE, side)


def test_a_prescribed_language_stays_prescribed():
    tagged = TaggedVocabulary(SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", "a", "__de__"]]), Tags(target=5))
    symbols = pieces_of(tagged)
    assert symbols.prefix == (5,)
    assert symbols.encode("a", "target").ids == (4,)


@pytest.mark.parametrize("text", ["<s> a </s>", "<pad>"])
def test_special_pieces_cannot_be_typed(translator, text):
    vocabulary = translator.vocabulary
    ids = pieces_of(vocabulary).encode(text, "source").ids
    assert not {vocabulary.start, vocabulary.end, vocabulary.pad} & set(ids)


@pytest.fixture
def marked(tmp_path):
    """The folder of an untrained model whose symbols bear marks, or not."""

    def write(*symbols: str) -> Path:
        vocabulary = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *symbols]])
        size = vocabulary.size("source")
        model = tiny_model(source_vocabulary=size, target_vocabulary=size)
        save_checkpoint(tmp_path / "m", model, vocabulary, ("de", "en"))
        return tmp_path / "m"

    return write


@pytest.mark.parametrize("pieces", ["un@@ believ@@ able", "un ##believ ##able", "▁un believ able", "un￭ believ ￭able"])
def test_words_of_symbols(command, marked, tmp_path, pieces):
    out = tmp_path / "out.json"
    given = ("--source", pieces, "--target", pieces, "--out", out, "--pieces", "--words")
    assert command("attend", "--checkpoint", marked(*pieces.split()), *given).code == 0
    assert [token["piece"] for token in json.loads(out.read_text("utf-8"))["source"]["tokens"]] == [
        "unbelievable",
        "</s>",
    ]


def test_symbols_without_marks_make_no_words(command, marked, tmp_path):
    given = ("--source", "a b", "--target", "a", "--out", tmp_path / "out.json", "--pieces", "--words")
    found = command("attend", "--checkpoint", marked("a", "b"), *given)
    assert found.refuses("do not say where a word goes on")
    assert not (tmp_path / "out.json").exists()
