"""Files of other toolkits: read, refused, and never run."""

import os
from argparse import Namespace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from headscope.model.errors import HeadscopeError
from headscope.model.interop.files import (
    read_bytes,
    read_ids,
    read_pickle,
    read_tensors,
    require,
    stated_licence,
    tensors_in,
)
from tests.model.interop.toys import Harmful

WEIGHTS = {"a": torch.arange(6.0).view(2, 3), "b": torch.ones(1)}


def test_the_first_file_that_is_there(tmp_path: Path):
    (tmp_path / "second").write_bytes(b"2")
    assert require(tmp_path, "first", "second") == tmp_path / "second"
    (tmp_path / "first").write_bytes(b"1")
    assert require(tmp_path, "first", "second") == tmp_path / "first"
    assert read_bytes(tmp_path, "first") == b"1"


def test_files_that_are_not_there(tmp_path: Path):
    with pytest.raises(HeadscopeError, match="has no first and no second: it is not a model of this kind"):
        require(tmp_path, "first", "second")
    with pytest.raises(HeadscopeError, match="there is no folder"):
        require(tmp_path / "nothing", "first")
    (tmp_path / "first").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(HeadscopeError, match="first is a Git LFS pointer"):
        read_bytes(tmp_path, "first")


@pytest.mark.parametrize("name", ["m.safetensors", "m.bin", "old.bin"])
def test_tensors(tmp_path: Path, name: str):
    path = tmp_path / name
    if path.suffix == ".safetensors":
        save_file(WEIGHTS, path)
    else:
        torch.save(WEIGHTS, path, _use_new_zipfile_serialization=name != "old.bin")
    found = read_tensors(path)
    assert found.keys() == WEIGHTS.keys()
    assert all(torch.equal(found[name], tensor) for name, tensor in WEIGHTS.items())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(HeadscopeError, match="copy it again"):
        read_tensors(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [([1], "holds no tensors by name"), ({}, "holds no tensors by name"), ({"a": 1.5}, "'a' is no tensor but float")],
)
def test_what_is_no_dictionary_of_tensors(content: object, message: str):
    with pytest.raises(HeadscopeError, match=message):
        tensors_in(content, Path("m.bin"))


def test_objects_are_read_only_where_their_kind_is_harmless(tmp_path: Path):
    path = tmp_path / "m.pt"
    torch.save({"args": Namespace(arch="transformer")}, path)
    with pytest.raises(HeadscopeError, match=r"m\.pt would run 'argparse\.Namespace' when it is opened"):
        read_pickle(path)
    assert read_pickle(path, harmless=[Namespace])["args"].arch == "transformer"
    torch.save({"weights": Harmful(f"touch {tmp_path / 'harm'}")}, path)
    with pytest.raises(HeadscopeError, match=f"would run '{os.system.__module__}.system'"):
        read_pickle(path, harmless=[Namespace])
    assert not (tmp_path / "harm").exists()


def test_pieces_in_the_order_of_their_ids(tmp_path: Path):
    path = tmp_path / "vocab.json"
    path.write_text('{"b": 1, "c": 2, "a": 0}')
    assert read_ids(path) == ("a", "b", "c")


@pytest.mark.parametrize("content", ['{"a": 0, "b": 2}', '{"a": 0, "b": 0}', '{"a": 0, "b": true}', '{"a": -1}'])
def test_ids_that_are_missing_or_given_twice(tmp_path: Path, content: str):
    path = tmp_path / "vocab.json"
    path.write_text(content)
    with pytest.raises(HeadscopeError, match=r"is not one of 0 to \d, each once"):
        read_ids(path)


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        (None, None),
        ("---\nlanguage: de\nlicense: cc-by-4.0\n---\nlicense: none\n", "cc-by-4.0"),
        ("---\nlicence: 'MIT'\n---\n", "MIT"),
        ("---\nlanguage: de\n---\nlicense: none\n", None),
        ("license: none\n", None),
    ],
)
def test_the_licence_stands_in_the_head_of_the_card(tmp_path: Path, card: str | None, licence: str | None):
    if card is not None:
        (tmp_path / "README.md").write_text(card)
    assert stated_licence(tmp_path) == licence
