"""Folders made from the files of a data set: complete, without overlap, and never at the cost of something else."""

import dataclasses
import hashlib
from pathlib import Path

import pytest

from headscope.model.data.preparation import CODES, prepare
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.text.subwords import join, tokenise
from headscope.model.text.vocabulary import load_vocabulary
from tests.toy_data import PAIRS, TEST, toy_data, write_copy

TOKENISED = dataclasses.replace(toy_data(), drawn=None, merges=12, given={"dev": ("test/test.en", "test/test.de")})


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """A local copy of the data set."""
    return write_copy(tmp_path / "local" / "toy")


@pytest.mark.parametrize("parent", [False, True])
def test_prepared_parts(local: Path, tmp_path: Path, parent: bool):
    data = prepare(toy_data(), local.parent if parent else local, tmp_path / "deep" / "out")
    parts = {part: data.read(part).pairs for part in data.parts}
    assert {part: len(pairs) for part, pairs in parts.items()} == {"train": 33, "dev": 20, "heldout": 5, "test": 3}
    assert parts["test"] == tuple(TEST)
    drawn = [*parts["train"], *parts["dev"], *parts["heldout"]]
    assert sorted(drawn) == sorted(pair for pair in PAIRS if pair not in (PAIRS[7], PAIRS[9]))
    assert (data.name, data.source, data.target, data.vocabulary) == ("toy", "en", "de", None)
    assert data.metadata["pairs_left_out"] == 2
    for name, expected in data.metadata["sha256"].items():
        assert hashlib.sha256((data.folder / name).read_bytes()).hexdigest() == expected


def test_the_other_way_round_the_parts_are_the_same(local: Path, tmp_path: Path):
    forward = prepare(toy_data(), local, tmp_path / "forward")
    turned = dataclasses.replace(toy_data(), source="de", target="en", turned=True)
    back = prepare(turned, local, tmp_path / "back")
    assert (back.source, back.target) == ("de", "en")
    for part in forward.parts:
        assert back.read(part).pairs == tuple((target, source) for source, target in forward.read(part).pairs)
        for language in ("en", "de"):
            name = f"{part}.{language}"
            assert (back.folder / name).read_bytes() == (forward.folder / name).read_bytes()


def test_the_published_split_in_pieces(local: Path, tmp_path: Path):
    data = prepare(TOKENISED, local, tmp_path / "out")
    assert data.metadata["pairs"] == {"train": len(PAIRS), "dev": len(TEST)}
    train = data.read("train").pairs
    assert any("@@ " in source for source, _ in train)
    for side, language in enumerate(("en", "de")):
        assert [join(pair[side]) for pair in train] == tokenise([pair[side] for pair in PAIRS], language)
    assert (data.folder / CODES).read_text().startswith("#version: 0.2\n")
    assert data.vocabulary is not None
    vocabulary = load_vocabulary(data.vocabulary)
    for side in ("source", "target"):
        text = [pair[side == "target"] for pair in train]
        assert [vocabulary.decode(ids, side) for ids in vocabulary.encode_ids(text, side)] == text
        assert all(vocabulary.unknown not in ids for ids in vocabulary.encode_ids(text, side))
    # The most frequent piece comes first, behind the special ones.
    assert [vocabulary.piece(index, "source") for index in range(5)] == ["<pad>", "<unk>", "<s>", "</s>", "."]
    assert "sacremoses" in data.metadata["text"]


@pytest.mark.parametrize("data", [toy_data(), TOKENISED], ids=["running text", "pieces"])
def test_preparing_again_gives_the_same_bytes(local: Path, tmp_path: Path, data):
    def contents() -> dict[Path, bytes]:
        return {file: file.read_bytes() for file in (tmp_path / "first").rglob("*") if file.is_file()}

    prepare(data, local, tmp_path / "first")
    first = contents()
    prepare(data, local, tmp_path / "first")
    assert contents() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "local"]


@pytest.mark.parametrize("place", ["notes.txt", "vocabulary/notes.txt"])
def test_other_folders_are_not_overwritten(local: Path, tmp_path: Path, place: str):
    out = prepare(TOKENISED, local, tmp_path / "out").folder
    (out / place).write_text("mine", "utf-8")
    with pytest.raises(HeadscopeError, match=rf"out holds something else already \({place}\)"):
        prepare(TOKENISED, local, out)
    with pytest.raises(HeadscopeError, match="is a file"):
        prepare(TOKENISED, local, out / place)
    with pytest.raises(HeadscopeError, match="cannot be written"):
        prepare(TOKENISED, local, out / place / "deeper")
    assert (out / place).read_text("utf-8") == "mine"


def test_stopping_leaves_nothing(local: Path, tmp_path: Path):
    class Impatient:
        def update(self, done: int, total: int | None) -> None:
            if done == total:
                raise Cancelled

    with pytest.raises(Cancelled):
        prepare(toy_data(), local, tmp_path / "out", progress=Impatient())
    assert [path.name for path in tmp_path.iterdir()] == ["local"]


def test_what_cannot_be_prepared(local: Path, tmp_path: Path):
    with pytest.raises(HeadscopeError, match=r"no pairs\.tsv\.gz, neither in it nor in its folder toy"):
        prepare(toy_data(), tmp_path, tmp_path / "out")
    (local / "test" / "test.de").write_bytes(b"altered")
    with pytest.raises(HeadscopeError, match=r"test\.de is not the file.*the sha256 of its text is"):
        prepare(toy_data(), local, tmp_path / "out")
    (local / "test" / "test.de").unlink()
    with pytest.raises(HeadscopeError, match=r"not complete: there is no .*test\.de"):
        prepare(toy_data(), local, tmp_path / "out")
    assert not (tmp_path / "out").exists()
