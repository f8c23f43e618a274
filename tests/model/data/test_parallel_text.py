import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.data.parallel_text import BadLine, decode_line, opened, read_parallel
from headscope.model.errors import HeadscopeError
from headscope.model.text.blank import is_blank

UNUSUAL = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh"
"""Everything that `str.splitlines` takes for the end of a line, and a lone carriage return."""


def write(file: Path, content: str | bytes) -> Path:
    raw = content if isinstance(content, bytes) else content.encode()
    file.write_bytes(gzip.compress(raw) if file.suffix == ".gz" else raw)
    return file


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_two_plain_files(tmp_path: Path, ending: str):
    source = write(tmp_path / f"a.en{ending}", f"{UNUSUAL}\n  two \n")
    target = write(tmp_path / f"a.de{ending}", f"eins\nzwei\t{UNUSUAL}")
    found = read_parallel(source, target)
    assert found.pairs == ((UNUSUAL, "eins"), ("  two ", f"zwei\t{UNUSUAL}"))
    assert found.skipped == {}


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_tsv(tmp_path: Path, ending: str):
    file = write(tmp_path / f"pairs.tsv{ending}", f"{UNUSUAL}\teins\ntwo\tzwei\n")
    assert read_parallel(file).pairs == ((UNUSUAL, "eins"), ("two", "zwei"))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_json_lines(tmp_path: Path, ending: str):
    rows = [{"source": "one\ttwo\n", "target": UNUSUAL, "id": 7}, {"target": "zwei", "source": "two"}]
    file = write(tmp_path / f"pairs.jsonl{ending}", "\n".join(json.dumps(row) for row in rows))
    assert read_parallel(file).pairs == (("one\ttwo\n", UNUSUAL), ("two", "zwei"))


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_translation_memories(tmp_path: Path, ending: str):
    file = write(tmp_path / f"pairs.tmx{ending}", MEMORY)
    first = read_parallel(file, skip_bad_lines=True)
    assert (first.pairs, first.skipped) == ((("one", "eins"), ("two", "zwei")), {"no partner": 1, "empty side": 1})
    other = read_parallel(file, languages=("fr", "EN"), skip_bad_lines=True)
    assert (other.pairs, other.skipped) == ((("deux", "two"),), {"no partner": 3})


def test_units_are_named(tmp_path: Path):
    file = write(tmp_path / "pairs.tmx", MEMORY)
    with pytest.raises(
        HeadscopeError, match=r"pairs.tmx, unit 3: no partner: it has en, and no 'de-DE'; correct it, or"
    ):
        read_parallel(file)
    with pytest.raises(HeadscopeError, match=r"pairs.tmx, unit 1: no partner: it has en, de-DE, and no 'fr'"):
        read_parallel(file, languages=("fr", "en"))
    with pytest.raises(HeadscopeError, match=r"unit 1: no partner: two languages are needed, and it has nothing"):
        read_parallel(write(tmp_path / "none.tmx", "<tmx><body><tu/></body></tmx>"))


@pytest.mark.parametrize("name", ["a.en", "a.tsv", "a.jsonl"])
@pytest.mark.parametrize("end", ["\n", "\n\n", "\r\n \r\n\t\n", "\n  "])
def test_blank_lines_at_the_end_are_no_lines(tmp_path: Path, name: str, end: str):
    row = {"a.en": "one", "a.tsv": "one\teins", "a.jsonl": '{"source": "one", "target": "eins"}'}[name]
    source = write(tmp_path / name, f"{row}\n\n{row}{end}")
    target = write(tmp_path / "a.de", "eins\nzwei\neins\n\n\n") if name == "a.en" else None
    found = read_parallel(source, target, skip_bad_lines=True)
    assert found.pairs == (("one", "eins"),) * 2
    # A blank line within the text is one, and has its number.
    assert (list(found.lines), list(found.left_out)) == ([1, 3], [2])
    with pytest.raises(HeadscopeError, match="line 2"):
        read_parallel(source, target)


def test_numbers_are_those_of_the_file(tmp_path: Path):
    source = write(tmp_path / "a.en", b"\n\xff\none\n\xc2\xad\ntwo\nthree\n")
    target = write(tmp_path / "a.de", "x\nx\neins\nx\nzwei\n")
    found = read_parallel(source, target, skip_bad_lines=True)
    assert found.pairs == (("one", "eins"), ("two", "zwei"))
    assert list(found.lines) == [3, 5]
    assert found.left_out == {1: "empty side", 2: "invalid UTF-8", 4: "empty side", 6: "no partner"}
    assert found.skipped == {"empty side": 2, "invalid UTF-8": 1, "no partner": 1}


@pytest.mark.parametrize("blank", ["", " ", "\u200b", "\u00ad", "\ufeff\u2060", "\u3164"])
def test_blank_sides_may_be_taken(tmp_path: Path, blank: str):
    source = write(tmp_path / "a.en", f"one\ntwo\n{blank}\n\n")
    target = write(tmp_path / "a.de", f"eins\n{blank}\ndrei\n\n")
    found = read_parallel(source, target, blanks=True)
    assert found.pairs == (("one", "eins"), ("two", blank), (blank, "drei"), ("", ""))
    assert read_parallel(source, target, skip_bad_lines=True).left_out == {2: "empty side", 3: "empty side"}
    rows = f'{{"source": "one", "target": "{blank}"}}\n\n'
    assert read_parallel(write(tmp_path / "a.jsonl", rows), blanks=True).pairs == (("one", blank),)


def test_every_combination_of_variants_is_a_pair(tmp_path: Path):
    variants = [("en", "big"), ("de", "groß"), ("en", "large"), ("de", "weit")], [("en", "a\x01"), ("de", "b")]
    last = [("en", "three"), ("de", "drei"), ("de", " ")]
    units = (
        "".join(f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language, text in unit)
        for unit in (*variants, last)
    )
    file = write(tmp_path / "a.tmx", f"<tmx><body>{''.join(f'<tu>{unit}</tu>' for unit in units)}</body></tmx>")
    found = read_parallel(file, skip_bad_lines=True)
    assert found.pairs == (
        *(("big", "groß"), ("big", "weit"), ("large", "groß"), ("large", "weit")),
        ("three", "drei"),
    )
    assert list(found.lines) == [1, 1, 1, 1, 3]
    assert found.left_out == {2: "malformed"}
    with pytest.raises(HeadscopeError, match=r"a.tmx, unit 2: malformed: a character that XML .* \(line 1\)"):
        read_parallel(file)


def test_windows_files(tmp_path: Path):
    source = write(tmp_path / "a.en", b"\xef\xbb\xbfone\r\ntwo\r\n")
    target = write(tmp_path / "a.de", b"\xef\xbb\xbfeins\r\n\xef\xbb\xbfzwei\r\r\n")
    assert read_parallel(source, target).pairs == (("one", "eins"), ("two", "\ufeffzwei\r"))


@given(st.lists(st.text().map(lambda text: text.replace("\n", "")).filter(lambda t: not is_blank(t)), max_size=5))
def test_lines_survive(tmp_path_factory: pytest.TempPathFactory, lines: list[str]):
    file = write(tmp_path_factory.getbasetemp() / "lines", "".join(f"{line}\r\n" for line in lines))
    if lines:
        lines[0] = lines[0].removeprefix("\ufeff")
    assert read_parallel(file, file, skip_bad_lines=True).pairs == tuple((line, line) for line in lines)


UNITS = (
    {"en": "one", "de-DE": "eins"},
    {"de-DE": "zwei", "fr": "deux", "en": "two"},
    {"en": "alone"},
    {"en": "four", "de-DE": " "},
)
MEMORY = "".join(
    f"<tu>{''.join(f'<tuv xml:lang=@{language}@><seg>{text}</seg></tuv>' for language, text in unit.items())}</tu>"
    for unit in UNITS
)
MEMORY = f"<tmx><body>{MEMORY}</body></tmx>".replace("@", '"')

BAD = [
    ("a.en", "one\n\ntwo\n", "a.de", "eins\nx\nzwei\n", "a.en, line 2: empty side: the source is blank", "empty side"),
    ("a.en", "one\nx\n", "a.de", "eins\n \u3000\n", "a.de, line 2: empty side: the target is blank", "empty side"),
    ("a.en", "one\n", "a.de", "eins\nzwei\n", "a.en, line 2: no partner.*ends before.*target", "no partner"),
    ("a.en", "one\ntwo", "a.de", "eins\n", "a.de, line 2: no partner.*ends before.*source", "no partner"),
    ("a.en", "one\nx\n", "a.de", b"eins\nz\xff\n", "a.de, line 2: invalid UTF-8 at byte 2", "invalid UTF-8"),
    ("a.tsv", "one\teins\ntwo\n", None, None, "a.tsv, line 2: malformed: 1 columns", "malformed"),
    ("a.tsv", "one\teins\na\tb\tc\n", None, None, "a.tsv, line 2: malformed: 3 columns", "malformed"),
    ("a.tsv", b"one\teins\n\xe9\tb\n", None, None, "a.tsv, line 2: invalid UTF-8 at byte 1", "invalid UTF-8"),
    ("a.tsv", "one\teins\na\t\n", None, None, "a.tsv, line 2: empty side: the target is blank", "empty side"),
    ("a.jsonl", '{"source": "one", "target": "eins"}\n{', None, None, "a.jsonl, line 2: malformed: not", "malformed"),
    ("a.jsonl", '{"source": "one", "target": "eins"}\n[1]', None, None, "a.jsonl, line 2: malformed: not", "malformed"),
    ("a.jsonl", '{"source": "one", "target": "eins"}\n{"source": "a"}', None, None, 'line 2: .*"target"', "malformed"),
    ("a.jsonl", '{"source": "one", "target": "eins"}\n' + "[" * 100_000, None, None, "line 2: malformed", "malformed"),
]


@pytest.mark.parametrize(("name", "content", "other", "other_content", "message", "reason"), BAD)
def test_bad_lines_are_named_or_skipped_and_counted(
    tmp_path: Path,
    name: str,
    content: str | bytes,
    other: str | None,
    other_content: str | bytes | None,
    message: str,
    reason: str,
):
    source = write(tmp_path / name, content)
    target = write(tmp_path / other, other_content) if other and other_content else None
    with pytest.raises(HeadscopeError, match=message):
        read_parallel(source, target)
    found = read_parallel(source, target, skip_bad_lines=True)
    assert found.skipped == {reason: 1}
    assert found.pairs[0] == ("one", "eins")


def test_files_that_cannot_be_read(tmp_path: Path):
    good = write(tmp_path / "good", "one\n")
    with pytest.raises(HeadscopeError, match=r"there is no file .*gone\.tsv"):
        read_parallel(tmp_path / "gone.tsv")
    with pytest.raises(HeadscopeError, match=r"pairs\.txt: one file of pairs has to be named"):
        read_parallel(write(tmp_path / "pairs.txt", "a\tb\n"))
    with pytest.raises(HeadscopeError, match=f"{tmp_path} cannot be read"):
        read_parallel(good, tmp_path)
    with pytest.raises(HeadscopeError, match=r"false\.gz cannot be read"):
        read_parallel(good, write(tmp_path / "false", "not compressed").rename(tmp_path / "false.gz"))
    whole = gzip.compress(bytes(range(256)) * 50)
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(HeadscopeError, match=r"cut\.gz cannot be read"):
        read_parallel(tmp_path / "cut.gz", good, skip_bad_lines=True)


def test_standard_input_is_bytes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hallo\n\n  \n\xff\n")))
    with opened(None) as stream:
        *lines, last = stream
    assert [decode_line(line) for line in lines] == ["Hallo", "", "  "]
    with pytest.raises(BadLine, match="invalid UTF-8 at byte 1"):
        decode_line(last)


def test_real_awkward_text(shared: Path):
    file = shared / "data" / "hard_sentences" / "blns.txt"
    found = read_parallel(file, file, skip_bad_lines=True)
    assert len(found.pairs) + found.skipped["empty side"] == 742


def test_a_named_pipe_that_nothing_writes_to_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("headscope.model.data.parallel_text.PATIENCE", 0.05)
    with pytest.raises(HeadscopeError, match="pipe is a named pipe that nothing writes to"), opened(pipe):
        pass
    assert not any("(wait)" in each.name for each in threading.enumerate())


@pytest.mark.parametrize("name", ["pipe", "pipe.gz"])
def test_a_named_pipe_is_read_to_its_end(tmp_path: Path, name: str):
    pipe = tmp_path / name
    os.mkfifo(pipe)
    content = b"eins\nzwei\n"
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(content) if name[4:] else content))
    writer.start()
    with opened(pipe) as stream:
        assert stream.read() == content
    writer.join()
