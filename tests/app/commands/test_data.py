import gzip
import json
import socket
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from headscope.app.commands.cli import run
from headscope.model.data.known_datasets import DATA_SETS
from headscope.model.data.prepared import load_prepared


def same(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("tatoeba-en-de", {"dev": 2000, "heldout": 500, "train": 157_165, "test": 14_565}),
        ("multi30k-en-de", {"heldout": 500, "train": 28_494, "dev": 1014, "test": 1000, "test-2017": 1000}),
    ],
)
def test_the_real_sets(shared: Path, tmp_path: Path, name: str, sizes: dict[str, int]):
    out = tmp_path / "out"
    arguments = [name, "--from", str(shared / "data"), "--out", str(out)]
    # In a process of its own, where the type checks of the tests do not slow it down.
    result = subprocess.run(
        [sys.executable, "-m", "headscope", "data", *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert [line.split() for line in result.stdout.splitlines()] == [
        [part, f"{size:,}", "pairs"] for part, size in sizes.items()
    ]
    assert json.loads((out / "data.json").read_bytes())["attribution"] in result.stderr

    known = DATA_SETS[name]
    for language in ("en", "de"):
        lines = {part: (out / f"{part}.{language}").read_bytes().decode().split("\n")[:-1] for part in sizes}
        assert {part: len(text) for part, text in lines.items()} == sizes
        trained = set(map(same, lines.pop("train")))
        for text in lines.values():
            assert trained.isdisjoint(map(same, text))
    for part, files in known.given.items():
        for file, written in zip(files, load_prepared(out).parts[part], strict=True):
            assert written.read_bytes() == gzip.decompress((shared / "data" / known.folder / file).read_bytes())


def test_bad_input_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["data", "tatoeba-en-de", "--from", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert f"tatoeba-en-de is not in {tmp_path}: there is no deu-eng" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_a_connection_the_way_out_is_told(command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{nobody.getsockname()[1]}")
    found = command("data", "multi30k-en-de-tokenised", "--cache", tmp_path / "cache", "--out", tmp_path / "out")
    assert found.refuses(
        "multi30k-en-de-tokenised cannot be downloaded: https://", "train.en.gz, train.de.gz", "--from"
    )
    assert not (tmp_path / "out").exists()


def test_downloads_lie_in_the_users_cache(command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked, fetch = [], "headscope.model.data.download.fetch"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(fetch, lambda data, cache, progress: asked.append((data.name, cache)) or cache)
    found = command("data", "tatoeba-en-de", "--out", tmp_path / "out")
    assert found.refuses("tatoeba-en-de is not in")
    assert asked == [("tatoeba-en-de", tmp_path / "headscope")]


def test_an_unknown_set(command, tmp_path: Path):
    assert command("data", "wmt", "--out", tmp_path / "out").refuses("no data set 'wmt'", "multi30k-en-de-tokenised")
