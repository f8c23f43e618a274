import dataclasses
import gzip
import hashlib
from pathlib import Path

import pytest

from model import datasets
from model.datasets import TATOEBA, load_prepared, prepare
from model.errors import HeadscopeError
from model.progress import Cancelled

PAIRS = [(f"Sentence {index}.", f"Satz {index}.") for index in range(60)]
TEST = [("Sentence  7.", "ein anderer"), ("another", "SATZ 9."), ("new", "neu")]


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local copy of a data set called `toy`: pairs of which two are in the test set, one by either side."""
    folder = tmp_path / "local" / "toy"
    folder.mkdir(parents=True)
    files = {
        "pairs.tsv.gz": gzip.compress("".join(f"{source}\t{target}\n" for source, target in PAIRS).encode()),
        "test.en": "".join(f"{source}\n" for source, _ in TEST).encode(),
        "test.de": "".join(f"{target}\n" for _, target in TEST).encode(),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    toy = dataclasses.replace(
        TATOEBA,
        name="toy",
        folder="toy",
        train=("pairs.tsv.gz",),
        given={"test": ("test.en", "test.de")},
        drawn={"dev": 20, "heldout": 5},
        sha256={name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    )
    monkeypatch.setattr(datasets, "DATA_SETS", {"toy": toy})
    return folder


@pytest.mark.parametrize("parent", [False, True])
def test_prepared_parts(local: Path, tmp_path: Path, parent: bool):
    data = prepare("toy", local.parent if parent else local, tmp_path / "deep" / "out")
    parts = {part: data.read(part).pairs for part in data.parts}
    assert {part: len(pairs) for part, pairs in parts.items()} == {"train": 33, "dev": 20, "heldout": 5, "test": 3}
    assert parts["test"] == tuple(TEST)
    drawn = [*parts["train"], *parts["dev"], *parts["heldout"]]
    assert sorted(drawn) == sorted(pair for pair in PAIRS if pair not in (PAIRS[7], PAIRS[9]))
    assert (data.name, data.source, data.target) == ("toy", "en", "de")
    assert data.metadata["pairs_left_out"] == 2
    for name, expected in data.metadata["sha256"].items():
        assert hashlib.sha256((data.folder / name).read_bytes()).hexdigest() == expected


def test_preparing_again_gives_the_same_bytes(local: Path, tmp_path: Path):
    first = prepare("toy", local, tmp_path / "first").folder
    contents = {file.name: file.read_bytes() for file in first.iterdir()}
    again = prepare("toy", local, tmp_path / "first").folder
    assert {file.name: file.read_bytes() for file in again.iterdir()} == contents
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "local"]


def test_other_folders_are_not_overwritten(local: Path, tmp_path: Path):
    out = prepare("toy", local, tmp_path / "out").folder
    (out / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(HeadscopeError, match=r"out holds something else already \(notes\.txt\)"):
        prepare("toy", local, out)
    with pytest.raises(HeadscopeError, match="is a file"):
        prepare("toy", local, out / "notes.txt")
    with pytest.raises(HeadscopeError, match="cannot be written"):
        prepare("toy", local, out / "notes.txt" / "deeper")
    assert (out / "notes.txt").read_text("utf-8") == "mine"


def test_stopping_leaves_nothing(local: Path, tmp_path: Path):
    class Impatient:
        def update(self, done: int, total: int | None) -> None:
            if done == total:
                raise Cancelled

    with pytest.raises(Cancelled):
        prepare("toy", local, tmp_path / "out", progress=Impatient())
    assert [path.name for path in tmp_path.iterdir()] == ["local"]


def test_what_cannot_be_prepared(local: Path, tmp_path: Path):
    with pytest.raises(HeadscopeError, match="no data set 'wmt'; choose one of toy"):
        prepare("wmt", local, tmp_path / "out")
    with pytest.raises(HeadscopeError, match=r"no pairs\.tsv\.gz, neither in it nor in its folder toy"):
        prepare("toy", tmp_path, tmp_path / "out")
    (local / "test.de").write_bytes(b"altered")
    with pytest.raises(HeadscopeError, match=r"test\.de is not the file.*its sha256 is"):
        prepare("toy", local, tmp_path / "out")
    (local / "test.de").unlink()
    with pytest.raises(HeadscopeError, match=r"not complete: there is no .*test\.de"):
        prepare("toy", local, tmp_path / "out")
    assert not (tmp_path / "out").exists()


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
