"""Reading lines as they come."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.app.commands.lines import BLOCK, line_groups
from headscope.model.errors import HeadscopeError

ODD = ["U+2028 \u2028 is text", "so are \x0b \x0c \x1c \x85 and \r in a line", "", " ", "a\x00b"]


def texts(file: Path, size: int = 1024) -> list[str]:
    return [line.text for group in line_groups(file, size) for line in group]


def test_lines_end_at_the_line_feed_alone(tmp_path):
    file = tmp_path / "text"
    file.write_bytes("\n".join(ODD).encode())
    assert texts(file) == ODD
    file.write_bytes("\r\n".join(ODD).encode())
    assert texts(file) == ODD


def test_byte_order_mark_is_no_text(tmp_path):
    file = tmp_path / "text"
    file.write_bytes(b"\xef\xbb\xbfone\n\xef\xbb\xbftwo\n")
    assert texts(file) == ["one", "\ufefftwo"]


def test_gzip(tmp_path):
    file = tmp_path / "text.gz"
    file.write_bytes(gzip.compress("\n".join(ODD).encode()))
    assert texts(file) == ODD


def test_cut_gzip(tmp_path):
    file = tmp_path / "text.gz"
    file.write_bytes(gzip.compress(os.urandom(1000))[:-20])
    with pytest.raises(HeadscopeError, match=r"text\.gz cannot be read"):
        texts(file)


def test_lines_longer_than_a_block(tmp_path):
    lines = ["ä" * BLOCK, "b", "c" * (3 * BLOCK + 1), "d" * (BLOCK - 2), ""]
    (tmp_path / "text").write_text("\n".join([*lines, "e"]))
    assert texts(tmp_path / "text") == [*lines, "e"]


def test_groups_of_a_file_are_full(tmp_path):
    (tmp_path / "text").write_text("x\n" * 70_001)
    groups = list(line_groups(tmp_path / "text", 1000))
    assert [len(group) for group in groups] == [1000] * 70 + [1]
    assert [line.number for group in groups for line in group] == list(range(1, 70_002))


def test_bad_bytes_spoil_their_line_alone(tmp_path):
    (tmp_path / "text").write_bytes(b"one\nt\xffo\nthree\xc3\nfour")
    lines = [line for group in line_groups(tmp_path / "text") for line in group]
    assert [line.text for line in lines] == ["one", "", "", "four"]
    assert [line.problem for line in lines] == [None, "invalid UTF-8 at byte 2", "invalid UTF-8 at byte 6", None]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines") / "text"


@given(st.binary().filter(lambda data: not data.startswith(b"\xef\xbb\xbf")), st.integers(1, 5))
def test_nothing_is_lost(scratch, data, size):
    scratch.write_bytes(data)
    expected = data.removesuffix(b"\n").split(b"\n") if data else []
    found = [line for group in line_groups(scratch, size) for line in group]
    assert len(found) == len(expected)
    for line, raw in zip(found, expected, strict=True):
        assert line.problem or line.text.encode() == raw.removesuffix(b"\r")


def test_what_is_there_does_not_wait_for_more(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    write = os.open(pipe, os.O_RDWR)  # both ends, so that opening does not wait for a partner
    try:
        groups = line_groups(pipe)
        os.write(write, b"one\ntwo\nthr")
        assert [line.text for line in next(groups)] == ["one", "two"]
        os.write(write, b"ee\n")
        assert [line.text for line in next(groups)] == ["three"]
        groups.close()
    finally:
        os.close(write)
