"""Text that somebody hands in."""

import io
import zipfile
from pathlib import Path

import pytest

from headscope.model.data.uploads import take_in
from headscope.model.errors import HeadscopeError

PAIRS = [(f"word{number} more", f"wort{number} mehr") for number in range(60)]
SOURCE, TARGET = ("".join(pair[side] + "\n" for pair in PAIRS).encode() for side in (0, 1))
TSV = "".join(f"{source}\t{target}\n" for source, target in PAIRS).encode()


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("a.tsv", TSV)
    return buffer.getvalue()


@pytest.mark.parametrize("files", [{"a.en": SOURCE, "a.de": TARGET}, {"a.tsv": TSV}])
def test_it_becomes_a_prepared_text(tmp_path: Path, files: dict[str, bytes]):
    data = take_in(files, tmp_path / "mine", languages=("en", "de"))
    assert (data.name, data.source, data.target) == ("mine", "en", "de")
    train, dev = data.read("train").pairs, data.read("dev").pairs
    assert sorted([*train, *dev]) == sorted(PAIRS)
    assert len(dev) == 8
    assert data.metadata["pairs"] == {"dev": 8, "train": 52}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "0 files"),
        ({"a": SOURCE, "b": TARGET, "c": TARGET}, "3 files"),
        ({"a.txt": SOURCE}, "add the file of the other side"),
        ({"a.zip": zipped()}, r"a\.zip is an archive .*unpack it"),
        ({"a.tsv": zipped()}, r"a\.tsv is an archive"),
        ({"a.tsv": b"\x1f\x8b\x08"}, "compressed: unpack it first"),
        ({"a.tsv": TSV.decode().encode("utf-16")}, "UTF-16: save it as UTF-8"),
        ({"a.tsv": TSV + b"a\0b\tc\n"}, "zero byte"),
        ({"a.tsv": TSV + "\u00fc\tx\n".encode("latin-1")}, r"^a\.tsv, line 61: invalid UTF-8 at byte 1: correct it$"),
        ({"a.tsv": TSV + b"one column\n"}, r"^a\.tsv, line 61: malformed: 1 columns"),
        ({"a.en": SOURCE + b"more\n", "a.de": TARGET}, r"^a\.de, line 61: no partner"),
        ({"a.en": SOURCE, "a.de": b" \n"}, r"a\.de is empty"),
        ({"a.tsv": TSV[:200]}, "malformed|too few to learn from"),
        ({"a.tsv": b"".join(b"same\t%d\n" % number for number in range(60))}, "no 8 development lines"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_made(tmp_path: Path, files: dict[str, bytes], message: str):
    with pytest.raises(HeadscopeError, match=message) as raised:
        take_in(files, tmp_path / "mine")
    assert "\n" not in str(raised.value)
    assert "/tmp" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_too_large(tmp_path: Path):
    with pytest.raises(HeadscopeError, match=r"more than the 0\.0 taken here"):
        take_in({"a.tsv": TSV}, tmp_path / "mine", most_bytes=100)


def test_nothing_is_replaced(tmp_path: Path):
    take_in({"a.tsv": TSV}, tmp_path / "mine")
    with pytest.raises(HeadscopeError, match="is there already"):
        take_in({"a.tsv": TSV}, tmp_path / "mine")


def test_a_name_leads_nowhere(tmp_path: Path):
    data = take_in({"../../x.tsv": TSV}, tmp_path / "mine")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert data.metadata["origin"] == "uploaded: ../../x.tsv"
