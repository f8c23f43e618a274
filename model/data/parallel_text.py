"""Pairs of sentences from files: two plain files, TSV, JSON lines or TMX, each also compressed with gzip.

A line ends at "\\n" and nowhere else: U+2028, U+0085, vertical tabs and the like are text. Files written on Windows are
read too: one "\\r" before the "\\n" and a byte order mark at the start of a file are no part of the text.
"""

import gzip
import json
import os
import sys
import threading
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product, zip_longest
from pathlib import Path
from typing import BinaryIO, cast

from headscope.model.data import tmx
from headscope.model.errors import HeadscopeError
from headscope.model.text.blank import is_blank

Pair = tuple[str, str]
"""A source sentence and its translation."""

PAIRED = ("tsv", "jsonl", "tmx")
"""Types of files that hold both sides."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PATIENCE = 10.0
"""Seconds that a named pipe may wait for something that writes to it."""


@dataclass(frozen=True)
class ParallelText:
    """Pairs of sentences, where each stands in its file, and what was left out.

    A number is that of a line; in a TMX file, which has no lines to speak of, that of a unit. All are from 1.
    """

    pairs: tuple[Pair, ...]
    lines: Sequence[int]
    """The number of each pair. A TMX unit with several variants of a language gives several pairs."""
    left_out: Mapping[int, str]
    """Reason, by number."""

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many lines were left out, by reason."""
        return dict(Counter(self.left_out.values()))


class BadLine(Exception):
    """A line that cannot be used: the reason, by which skipped lines are counted, and what more there is to say."""

    def __init__(self, reason: str, detail: str = "", *, side: int = 0) -> None:
        super().__init__(reason + detail)
        self.reason = reason
        self.side = side


def read_parallel(
    source: Path,
    target: Path | None = None,
    *,
    languages: tuple[str, str] | None = None,
    skip_bad_lines: bool = False,
    blanks: bool = False,
) -> ParallelText:
    """The pairs of sentences in two plain files, line by line, or in one file of type .tsv, .jsonl or .tmx (also .gz).

    A TSV line is `source TAB target`; a line of JSON is an object with the strings "source" and "target". A TMX unit
    gives a pair for each combination of its variants of the two languages. A side is blank where nothing can be seen in
    it (`model.text.blank`); blank lines at the end of a file are no lines.

    Args:
        languages: the two to take from a TMX file, source first; `en` takes `en-US` where there is no `en`. None: the
            first two of its first unit.
        skip_bad_lines: leave out and count lines that are not UTF-8, have an empty side, are malformed or have no
            partner in the other file, and TMX units without one of the languages or with characters that XML does not
            allow, instead of raising.
        blanks: take pairs with a blank side, and of two plain files also their blank last lines.

    Raises:
        HeadscopeError: a file cannot be read or has an unknown type, or a line is bad (file and line number are named).
    """
    files = (source,) if target is None else (source, target)
    kind = _kind(source) if target is None else "plain"
    if kind == "tmx":
        unit, rows = "unit", _units(source, languages)
    else:
        unit, rows = "line", _lines(files) if kind == "plain" and blanks else _without_last_blanks(_lines(files))
    parse = _parser(kind)
    pairs, lines, left_out = list[Pair](), array("q"), dict[int, str]()
    for number, row in enumerate(rows, 1):
        try:
            found = parse(*row, first=number == 1)
            if not blanks:
                _check(found)
        except BadLine as bad:
            if not skip_bad_lines:
                raise HeadscopeError(
                    f"{files[bad.side % len(files)]}, {unit} {number}: {bad}; correct it, or skip bad lines"
                ) from None
            left_out[number] = bad.reason
        else:
            pairs += found
            lines.extend([number] * len(found))
    return ParallelText(tuple(pairs), lines, left_out)


def read_references(
    source: Path, references: Sequence[Path], *, skip_bad_lines: bool = False
) -> tuple[ParallelText, list[list[str]]]:
    """Plain files with a text and several translations of it: the pairs with the first, and the others beside them.

    A line that is left out for the sake of one translation is left out of all.

    Raises:
        HeadscopeError: as `read_parallel`.
    """
    texts = [read_parallel(source, reference, skip_bad_lines=skip_bad_lines) for reference in references]
    left_out = {number: reason for text in texts[::-1] for number, reason in text.left_out.items()}
    kept = [[(n, p) for n, p in zip(text.lines, text.pairs, strict=True) if n not in left_out] for text in texts]
    lines, pairs = [number for number, _ in kept[0]], tuple(pair for _, pair in kept[0])
    more = [[target for _, (_, target) in rows] for rows in kept[1:]]
    return ParallelText(pairs, lines, dict(sorted(left_out.items()))), more


def decode_line(raw: bytes, *, first: bool = False, side: int = 0) -> str:
    """The text of a line, without its end and, if it is the first of its file, without a byte order mark.

    Raises:
        BadLine: it is not UTF-8.
    """
    line = raw.removesuffix(b"\n").removesuffix(b"\r")
    try:
        return (line.removeprefix(BYTE_ORDER_MARK) if first else line).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLine("invalid UTF-8", f" at byte {error.start + 1}", side=side) from None


@contextmanager
def opened(file: Path | None) -> Iterator[BinaryIO]:
    """A file, decompressed if its name ends in .gz, or standard input (None), as bytes.

    Raises:
        HeadscopeError: it cannot be opened, or is a named pipe that nothing writes to, or reading it fails.
    """
    try:
        if file is None:
            yield sys.stdin.buffer
        elif file.suffix == ".gz":
            with _open(file) as packed, gzip.open(packed, "rb") as stream:
                yield cast(BinaryIO, stream)
        else:
            with _open(file) as stream:
                yield stream
    except FileNotFoundError:
        raise HeadscopeError(f"there is no file {file}") from None
    except (OSError, EOFError, zlib.error) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise HeadscopeError(f"{file or 'standard input'} cannot be read: {detail}") from error


def _open(file: Path) -> BinaryIO:
    """The file, as bytes. Opening a named pipe waits for something that writes to it: here not for ever.

    Raises:
        HeadscopeError: it is such a pipe, and nothing has it open to write.
    """
    if not file.is_fifo():
        return file.open("rb")
    found: list[BinaryIO] = []

    def wait() -> None:
        with suppress(OSError):  # opening it once more says what is wrong
            found.append(file.open("rb"))

    opening = threading.Thread(target=wait, daemon=True)
    opening.start()
    opening.join(PATIENCE)
    if not opening.is_alive():
        return found[0] if found else file.open("rb")
    # Who waits to read is let go by a writer that has nothing to say.
    os.close(os.open(file, os.O_WRONLY | os.O_NONBLOCK))
    opening.join()
    found[0].close()
    raise HeadscopeError(f"{file} is a named pipe that nothing writes to: start what writes to it first")


def _lines(files: Sequence[Path]) -> Iterator[tuple[bytes | None, ...]]:
    return zip_longest(*map(_raw_lines, files))


def _raw_lines(file: Path) -> Iterator[bytes]:
    with opened(file) as stream:
        yield from stream  # a binary stream breaks at "\n" alone


def _without_last_blanks(rows: Iterator[tuple[bytes | None, ...]]) -> Iterator[tuple[bytes | None, ...]]:
    """The rows up to the last in which anything stands."""
    held: list[tuple[bytes | None, ...]] = []
    for row in rows:
        held.append(row)
        if any(raw and raw.strip() for raw in row):
            yield from held
            held.clear()


def _units(file: Path, languages: tuple[str, str] | None) -> Iterator[tuple[tmx.Unit, tuple[str, str] | None]]:
    """The units of a TMX file, and the languages to take from each (None: no unit had two so far)."""
    with opened(file) as stream:
        for unit in tmx.read_units(stream, str(file)):
            if languages is None and len(unit.languages) > 1:
                first, second, *_ = unit.languages
                languages = first, second
            yield unit, languages


def _kind(file: Path) -> str:
    kind = Path(file.name.removesuffix(".gz")).suffix.removeprefix(".")
    if kind not in PAIRED:
        raise HeadscopeError(
            f"{file}: one file of pairs has to be named .tsv, .jsonl or .tmx (each also with .gz); "
            "for plain text name a source and a target file"
        )
    return kind


def _parser(kind: str) -> Callable[..., list[Pair]]:
    """What makes pairs of a row: one, but for a TMX unit with several variants."""
    return {"plain": _from_two_files, "tsv": _from_tsv, "jsonl": _from_json, "tmx": _from_unit}[kind]


def _from_two_files(source: bytes | None, target: bytes | None, *, first: bool) -> list[Pair]:
    if source is None or target is None:
        ended, longer = (0, "target") if source is None else (1, "source")
        raise BadLine("no partner", f": the file ends before this line of the {longer} file", side=ended)
    return [(decode_line(source, first=first), decode_line(target, first=first, side=1))]


def _from_tsv(raw: bytes, *, first: bool) -> list[Pair]:
    columns = decode_line(raw, first=first).split("\t")
    if len(columns) != 2:
        raise BadLine("malformed", f": {len(columns)} columns instead of source TAB target")
    return [(columns[0], columns[1])]


def _from_json(raw: bytes, *, first: bool) -> list[Pair]:
    try:
        row = json.loads(decode_line(raw, first=first))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise BadLine("malformed", ": not a JSON object")
    source, target = row.get("source"), row.get("target")
    if not isinstance(source, str) or not isinstance(target, str):
        raise BadLine("malformed", ': "source" and "target" have to be strings')
    return [(source, target)]


def _from_unit(unit: tmx.Unit, languages: tuple[str, str] | None, *, first: bool) -> list[Pair]:
    if unit.problem:
        raise BadLine("malformed", f": {unit.problem}")
    there = ", ".join(unit.languages) or "nothing"
    if languages is None:
        raise BadLine("no partner", f": two languages are needed, and it has {there}")
    sources, targets = (tmx.pick(unit, language) for language in languages)
    if not sources or not targets:
        raise BadLine("no partner", f": it has {there}, and no '{languages[0 if not sources else 1]}'")
    return list(product(sources, targets))


def _check(pairs: Sequence[Pair]) -> None:
    for pair in pairs:
        for side, (name, text) in enumerate(zip(("source", "target"), pair, strict=True)):
            if is_blank(text):
                raise BadLine("empty side", f": the {name} is blank", side=side)
