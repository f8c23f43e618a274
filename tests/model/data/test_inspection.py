"""What is found in a text, counted by hand."""

import json
from pathlib import Path

import pytest

from headscope.model.data.inspection import BINS, inspect_text
from headscope.model.data.prepared import load_prepared

TRAIN = [
    ("a dog", "ein Hund"),
    ("A  dog", "ein hund"),
    ("one two three", "eins zwei drei"),
    ("a cat", "eine Katze"),
    ("same", "same"),
    ("a " * 12, "lang"),
]
DEV = [("a cow", "eine Kuh")]
TEST = [("a cat", "ein Kater"), ("a bird", "ein Vogel")]


def write(folder: Path, **parts: list[tuple[str, str]]) -> Path:
    """A prepared text."""
    folder.mkdir()
    for part, pairs in parts.items():
        for side, ending in enumerate(("en", "de")):
            (folder / f"{part}.{ending}").write_text("".join(f"{pair[side]}\n" for pair in pairs), "utf-8")
    (folder / "data.json").write_text(json.dumps({"name": "zoo", "source": "en", "target": "de"}))
    return folder


def test_counts_lengths_doubles_and_overlaps(tmp_path: Path):
    report = inspect_text(load_prepared(write(tmp_path / "zoo", train=TRAIN, dev=DEV, test=TEST)))
    assert (report.name, report.languages, report.pairs) == ("zoo", ("en", "de"), {"dev": 1, "test": 2, "train": 6})
    assert report.first[0] == ("a dog", "ein Hund")
    assert len(report.first) == 5
    source, target = (dict(zip(BINS, side, strict=True)) for side in report.lengths)
    assert (source[1], source[2], source[11]) == (1, 4, 1)
    assert (target[1], target[2]) == (2, 4)
    assert sum(report.lengths[0]) == sum(report.lengths[1]) == 6
    assert report.longest == (12, 3)
    assert report.doubled == 1, "the second dog, but for case and blanks"
    assert report.overlaps == {"dev": 0, "test": 1}, "the cat"
    assert report.usable
    for problem in (
        "train: 1 pair occurring more than once",
        "train: 1 pair sharing a side with test",
        "dev: 1 line only",
        "train: 1 pair with 3 times the words",
        "train: 1 pair with the same text",
    ):
        assert any(found.startswith(problem) for found in report.problems), problem


def test_a_clean_text_has_no_problem(tmp_path: Path):
    pairs = [(f"a{number} b", f"c{number} d") for number in range(60)]
    report = inspect_text(load_prepared(write(tmp_path / "zoo", train=pairs[:30], dev=pairs[30:])))
    assert report.problems == ()
    assert report.characters == pytest.approx(sum(len(side) for pair in pairs[:30] for side in pair) / 60)


def test_bad_lines_and_files_are_named_and_nothing_is_raised(tmp_path: Path):
    folder = write(tmp_path / "zoo", train=[*TRAIN, ("", "x"), ("", "y")], dev=DEV)
    with (folder / "train.en").open("ab") as file:
        file.write(b"\xff\n")
    with (folder / "train.de").open("ab") as file:
        file.write(b"z\nlonger\n")
    report = inspect_text(load_prepared(folder))
    assert "train: 2 lines cannot be used (empty side; the first is line 7)" in report.problems
    assert "train: 1 line cannot be used (invalid UTF-8; the first is line 9)" in report.problems
    assert "train: 1 line cannot be used (no partner; the first is line 10)" in report.problems
    (folder / "dev.en").write_text("")
    (folder / "dev.de").write_text("")
    report = inspect_text(load_prepared(folder))
    assert "dev: there is no pair in it" in report.problems
    assert not report.usable
