"""What a run trains on."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from headscope.model.data.prepared import load_prepared
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Silent
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.training_data import TrainingData, gather

SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
Toy = Callable[..., Recipe]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A little text in pieces."""
    for part in ("train", "dev"):
        (tmp_path / f"{part}.tsv").write_text("a@@ b c\tc a@@\nc\td\n", "utf-8")
    return tmp_path


def training_data(recipe: Recipe, folder: Path) -> TrainingData:
    run = RunDirectory(folder / "run")
    with run.held():
        return gather(recipe, load_prepared(folder), run, skip_bad_lines=False, progress=Silent())


def test_a_vocabulary_that_comes_with_the_text_is_taken(toy: Toy, folder: Path):
    SymbolVocabulary([[*SPECIALS, "c", "a@@", "b"]]).save(folder / "vocabulary")
    found = training_data(toy(), folder)
    assert found.vocabulary.size("target") == 7
    batch = found.train.batch(0, 0)
    rows = {tuple(source) for source in batch.source.tolist()}
    assert rows == {(5, 6, 4, 3), (4, 3, 0, 0)}
    assert {tuple(target) for target in batch.target_out.tolist()} == {(4, 5, 3), (1, 3, 0)}
    assert load_vocabulary(folder / "run" / "vocabulary").piece(5, "source") == "a@@"
    # A run that has begun keeps its own, whatever becomes of the other.
    RunDirectory(folder / "run").state.touch()
    (folder / "vocabulary" / "joint.json").write_text(json.dumps([*SPECIALS, "x"]), "utf-8")
    assert training_data(toy(), folder).vocabulary.size("target") == 7


def test_what_is_left_out_is_noted_and_how_bleu_cuts_text(toy: Toy, folder: Path):
    (folder / "data.json").write_text('{"source": "en", "target": "th"}', "utf-8")
    SymbolVocabulary([[*SPECIALS, "c", "a@@", "b"]]).save(folder / "vocabulary")
    for part in ("train", "dev"):
        (folder / f"{part}.tsv").write_text("a@@ b c\tc a@@\nc\td\nb\t\u00ad\nb b b\tc\n\n", "utf-8")
    run = RunDirectory(folder / "run")
    with run.held():
        found = gather(
            toy(max_pieces=3, dev_lines=2), load_prepared(folder), run, skip_bad_lines=True, progress=Silent()
        )
    assert found.notes == (
        "1 training lines left out: empty side",
        "2 of 3 training pairs left out: more than 3 pieces on a side",
        "BLEU counts characters: sacreBLEU has no tokeniser for Thai",
    )
    assert found.bleu_tokens.name == "char"
    assert found.pairs == 1


def test_a_vocabulary_of_two_tables_is_refused(toy: Toy, folder: Path):
    SymbolVocabulary([[*SPECIALS, "c"], [*SPECIALS, "c", "d"]]).save(folder / "vocabulary")
    with pytest.raises(HeadscopeError, match="has two tables: one for both sides is needed"):
        training_data(toy(), folder)
