"""Folders of text ready for training, however they came about."""

import gzip
from pathlib import Path

import pytest

from headscope.model.data.prepared import load_prepared
from headscope.model.errors import HeadscopeError


def fill(folder: Path, *names: str) -> Path:
    for name in names:
        content = b"a\tb\n"
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return folder


def test_any_folder_laid_out_like_this_will_do(tmp_path: Path):
    data = load_prepared(fill(tmp_path, "train.tsv.gz", "dev.source", "dev.target", "README.md", "test-2.tsv"))
    assert (data.name, data.source, data.target, data.metadata) == (tmp_path.name, "source", "target", {})
    assert set(data.parts) == {"train", "dev", "test-2"}
    assert data.read("train").pairs == (("a", "b"),)
    assert data.read("dev").pairs == (("a\tb", "a\tb"),)
    with pytest.raises(HeadscopeError, match="has no part 'test', only"):
        data.read("test")


def test_parts_that_no_training_learns_from(tmp_path: Path):
    assert load_prepared(fill(tmp_path, "train.tsv", "dev.tsv")).unseen == ("dev",)
    assert load_prepared(fill(tmp_path, "test.tsv", "heldout.tsv", "also.tsv")).unseen == ("heldout", "also", "test")


def test_a_vocabulary_may_lie_beside_the_text(tmp_path: Path):
    fill(tmp_path, "train.tsv", "dev.tsv")
    assert load_prepared(tmp_path).vocabulary is None
    (tmp_path / "vocabulary").mkdir()
    assert load_prepared(tmp_path).vocabulary == tmp_path / "vocabulary"


def test_languages_choose_from_a_translation_memory(tmp_path: Path):
    variants = "".join(f'<tuv xml:lang="{code}"><seg>{code}</seg></tuv>' for code in ("fr", "de", "en-US"))
    for part in ("train", "dev"):
        (tmp_path / f"{part}.tmx").write_text(f"<tmx><body><tu>{variants}</tu></body></tmx>", "utf-8")
    assert load_prepared(tmp_path).read("train").pairs == (("fr", "de"),)
    (tmp_path / "data.json").write_text('{"source": "en", "target": "de"}', "utf-8")
    assert load_prepared(tmp_path).read("dev").pairs == (("en-US", "de"),)


def test_languages_of_a_folder_are_named_in_its_description(tmp_path: Path):
    fill(tmp_path, "train.de", "train.en", "dev.de.gz", "dev.en.gz")
    with pytest.raises(HeadscopeError, match=r"no part 'train'.*data\.json"):
        load_prepared(tmp_path)
    (tmp_path / "data.json").write_text('{"source": "de", "target": "en"}', "utf-8")
    data = load_prepared(tmp_path)
    assert data.parts["train"] == (tmp_path / "train.de", tmp_path / "train.en")
    assert data.parts["dev"] == (tmp_path / "dev.de.gz", tmp_path / "dev.en.gz")


@pytest.mark.parametrize("content", ["{", "[]", '{"source": 1}'])
def test_a_broken_description_is_named(tmp_path: Path, content: str):
    fill(tmp_path, "train.tsv", "dev.tsv")
    (tmp_path / "data.json").write_text(content, "utf-8")
    with pytest.raises(HeadscopeError, match=r"data\.json"):
        load_prepared(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path):
    with pytest.raises(HeadscopeError, match=r"no data folder .*gone"):
        load_prepared(tmp_path / "gone")
