"""Files and folders, whole or not at all; JSON; results with a format and a digest."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict

from headscope.model.errors import HeadscopeError
from headscope.model.files import (
    AtomicWriter,
    ResultFile,
    folder_name,
    json_text,
    model_text,
    new_folder,
    read_json,
    replace_file,
    replaced_folder,
    write_json,
)
from tests.files import tree


class Failure(Exception):
    """Whatever may go wrong."""


def failing(path: Path) -> None:
    """Write a half, and fail."""
    (path / "half" if path.is_dir() else path).write_text("half")
    raise Failure


@pytest.mark.parametrize("error", [Failure, KeyboardInterrupt])
def test_a_file_stays_as_it_was_when_writing_fails(tmp_path, error):
    (tmp_path / "a.txt").write_text("old")

    def write(fresh: Path) -> None:
        fresh.write_text("half")
        raise error

    for name in ("a.txt", "b.txt"):
        with pytest.raises(error):
            replace_file(tmp_path / name, write)
    assert tree(tmp_path) == {"a.txt": b"old"}
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_is_replaced_by_a_new_one(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "same").hardlink_to(tmp_path / "a.txt")
    replace_file(tmp_path / "a.txt", lambda fresh: fresh.write_text("new"))
    assert tree(tmp_path) == {"a.txt": b"new", "same": b"old"}
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_two_may_write_one_file(tmp_path):
    def outer(fresh: Path) -> None:
        replace_file(tmp_path / "a", lambda other: other.write_text("second"))
        fresh.write_text("first")

    replace_file(tmp_path / "a", outer)
    assert tree(tmp_path) == {"a": b"first"}


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        replace_file(tmp_path / "nowhere" / "a", lambda fresh: None)
    assert raised.value.filename == str(tmp_path / "nowhere" / "a")


def test_a_folder_is_replaced_whole(tmp_path):
    place = tmp_path / "deep" / "place"
    with replaced_folder(place) as fresh:
        (fresh / "a").write_text("1")
    with replaced_folder(place) as fresh:
        assert not list(fresh.iterdir())
        (fresh / "b").write_text("2")
    assert tree(tmp_path) == {"deep/place/b": b"2"}
    with pytest.raises(Failure), replaced_folder(place) as fresh:
        failing(fresh)
    assert tree(tmp_path) == {"deep/place/b": b"2"}
    assert [path.name for path in place.parent.iterdir()] == ["place"]


@pytest.mark.parametrize("which", [1, 2])
def test_an_exchange_that_fails_leaves_the_old_folder(tmp_path, monkeypatch, which):
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "a").write_text("1")
    done, rename = [], Path.rename

    def refused(self: Path, target: Path) -> Path:
        done.append(target)
        if len(done) == which:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(KeyboardInterrupt), replaced_folder(tmp_path / "place") as fresh:
        (fresh / "b").write_text("2")
    assert tree(tmp_path) == {"place/a": b"1"}


def test_a_new_folder_replaces_nothing(tmp_path):
    (tmp_path / "empty").mkdir()
    with new_folder(tmp_path / "empty") as fresh:
        (fresh / "a").write_text("1")
    (tmp_path / "file").write_text("")
    before = tree(tmp_path)
    for name in ("empty", "file"):
        with pytest.raises(HeadscopeError, match=f"{name} is there already"), new_folder(tmp_path / name):
            pass
    assert tree(tmp_path) == before


def test_what_a_killed_process_leaves_is_cleared(tmp_path):
    writer, left = AtomicWriter(), []

    def kept(fresh: Path) -> None:
        fresh.write_text("half")
        left.append(fresh.parent.rename(fresh.parent.with_name(f"{fresh.parent.name}-left.new")))
        raise Failure

    with pytest.raises(Failure):
        writer.replace(tmp_path / "a.txt", kept)
    assert left[0].is_dir()
    (tmp_path / "b.new").write_text("somebody's")
    writer.tidy(tmp_path)
    assert tree(tmp_path) == {"b.new": b"somebody's"}
    assert not left[0].exists()


def test_what_is_no_json_object_is_said(tmp_path):
    with pytest.raises(HeadscopeError, match="cannot be read: No such file"):
        read_json(tmp_path / "missing.json")
    with pytest.raises(HeadscopeError, match="cannot be read: Is a directory"):
        read_json(tmp_path)
    for name, content, message in (
        ("latin.json", b'{"a": "\xe4"}', "is not JSON"),
        ("cut.json", b'{"a": ', "is not JSON"),
        ("deep.json", b"[" * 100_000, "is not JSON"),
        ("list.json", b"[1]", "holds list, not an object"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(HeadscopeError, match=f"{name} {message}"):
            read_json(tmp_path / name)


def test_json_is_one_line_an_entry(tmp_path):
    content = {"ä": [1, 2.5, None], "b": {"c": "d\n"}}
    assert json_text(content) == '{\n  "ä": [1, 2.5, null],\n  "b": {"c": "d\\n"}\n}\n'
    assert json_text(["ä", [1]]) == '[\n  "ä",\n  [1]\n]\n'
    write_json(tmp_path / "a.json", content)
    assert read_json(tmp_path / "a.json") == content
    for empty in ({}, []):
        assert json.loads(json_text(empty)) == empty
    with pytest.raises(ValueError, match="JSON compliant"):
        json_text({"a": float("nan")})


class Plain(NamedTuple):
    """A result that is no model of pydantic."""

    weights: str
    value: int


class Model(BaseModel):
    """One that is."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    format: int = 3
    weights: str
    value: int


def plain_file(version: int = 3) -> ResultFile[Plain]:
    def text(result: Plain) -> str:
        return json_text({"format": version, **result._asdict()})

    def parsed(content: dict[str, Any]) -> Plain:
        return Plain(content["weights"], int(content["value"]))

    return ResultFile("result.json", version, "headscope make", text, parsed)


MODEL_FILE = ResultFile("result.json", 3, "headscope make", model_text, Model.model_validate)


def test_a_result_is_kept(tmp_path):
    for file, result in ((plain_file(), Plain("abc", 5)), (MODEL_FILE, Model(weights="abc", value=5))):
        (tmp_path / "result.json").unlink(missing_ok=True)
        assert file.load(tmp_path) is None
        file.save(result, tmp_path)
        assert file.load(tmp_path) == result
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize(
    ("found", "known", "way"),
    [
        (4, 3, "update Headscope, or make it again with `headscope make`"),
        (2, 3, "make it again with `headscope make`"),
        ("x", 3, "make it again with `headscope make`"),
        (None, 3, "make it again with `headscope make`"),
    ],
)
def test_another_format(tmp_path, found, known, way):
    path = tmp_path / "result.json"
    write_json(path, {"format": found, "weights": "abc", "value": 5})
    with pytest.raises(HeadscopeError) as raised:
        plain_file(known).load(tmp_path)
    assert str(raised.value) == f"{path} is of format {found!r}, and this version reads format {known}: {way}"


def test_a_file_without_a_format_is_of_the_first(tmp_path):
    write_json(tmp_path / "result.json", {"weights": "abc", "value": 5})
    assert plain_file(1).load(tmp_path) == Plain("abc", 5)
    with pytest.raises(HeadscopeError, match="is of format 1, and this version reads format 3"):
        plain_file(3).load(tmp_path)


@pytest.mark.parametrize(
    ("change", "file", "message"),
    [
        ({"value": "x"}, plain_file(), "result.json is damaged .ValueError.*headscope make"),
        ({"value": None}, plain_file(), "result.json is damaged .TypeError.*headscope make"),
        ({"value": "x"}, MODEL_FILE, "result.json: value = 'x': .*: make it again with `headscope make`"),
        ({"more": 1}, MODEL_FILE, "result.json: there is no key 'more': make it again with `headscope make`"),
    ],
)
def test_damage_is_said(tmp_path, change, file, message):
    write_json(tmp_path / "result.json", {"format": 3, "weights": "abc", "value": 5} | change)
    with pytest.raises(HeadscopeError, match=message):
        file.load(tmp_path)


def test_what_is_no_file_or_folder_is_never_replaced(tmp_path):
    """A device, say: whoever may write beside it could put a file in its place, for all the machine."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(HeadscopeError, match=f"{name} is there and is no file"):
            replace_file(tmp_path / name, failing)
    with pytest.raises(HeadscopeError, match="pipe is there and is no folder"), replaced_folder(tmp_path / "pipe"):
        pass
    with pytest.raises(HeadscopeError, match="pipe is there already"), new_folder(tmp_path / "pipe"):
        pass
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("name", ["a", "tiny-1", "  blanks around ".strip().replace(" ", "-"), "Größe_2.x+y"])
def test_names_of_folders(name):
    assert folder_name(f" {name} ", "a run") == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/a", "a\\b", ".a", "-a", "a\nb", "a b", "a" * 101, "a\0"]
)
def test_names_that_may_lead_elsewhere(name):
    with pytest.raises(HeadscopeError, match="cannot name a run: take letters and digits"):
        folder_name(name, "a run")
