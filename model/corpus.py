"""Lines and pairs of sentences from files: two plain files, TSV or JSON lines, each also compressed with gzip.

A line ends at "\\n" and nowhere else: U+2028, U+0085, vertical tabs and the like are text. Files written on Windows are
read too: one "\\r" before the "\\n" and a byte order mark at the start of a file are no part of the text.
"""

import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO

from model.errors import HeadscopeError

Pair = tuple[str, str]
"""A source sentence and its translation."""


@dataclass(frozen=True)
class ParallelText:
    """Pairs of sentences, and how many lines were left out, by reason."""

    pairs: tuple[Pair, ...]
    skipped: Mapping[str, int]


class _BadLine(Exception):
    """A line that cannot be used: the reason (counted when skipped) and the rest of the message."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason + detail)
        self.reason = reason


def read_lines(file: Path | None) -> Iterator[str]:
    """The lines of a text file, or of standard input (None), one by one as they come; blank lines too.

    Raises:
        HeadscopeError: the file cannot be read, or a line is not UTF-8 (file and line number are named).
    """
    for number, raw in enumerate(_raw_lines(file), 1):
        try:
            yield _text(raw)
        except _BadLine as bad:
            raise HeadscopeError(f"{file or 'standard input'}, line {number}: {bad}") from None


def read_parallel(source: Path, target: Path | None = None, *, skip_bad_lines: bool = False) -> ParallelText:
    """The pairs of sentences in two plain files, line by line, or in one file of type .tsv or .jsonl (all also .gz).

    A TSV line is `source TAB target`; a line of JSON is an object with the strings "source" and "target". Line feeds
    within a JSON string are kept.

    Args:
        skip_bad_lines: leave out and count lines that are not UTF-8, have an empty side, are malformed or have no
            partner in the other file, instead of raising.

    Raises:
        HeadscopeError: a file cannot be read or has an unknown type, or a line is bad (file and line number are named).
    """
    if target is not None:
        rows: Iterator[tuple[bytes | None, ...]] = zip_longest(_raw_lines(source), _raw_lines(target))
        parse: Callable[..., Pair] = _from_two_files
        place = f"{source} and {target}"
    else:
        rows = ((raw,) for raw in _raw_lines(source))
        parse = _parser(source)
        place = str(source)

    pairs: list[Pair] = []
    skipped: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        try:
            pair = parse(*row)
            if not all(side.strip() for side in pair):
                raise _BadLine("empty side")
            pairs.append(pair)
        except _BadLine as bad:
            if not skip_bad_lines:
                raise HeadscopeError(f"{place}, line {number}: {bad} (or skip bad lines)") from None
            skipped[bad.reason] += 1
    return ParallelText(tuple(pairs), dict(skipped))


def _from_two_files(source: bytes | None, target: bytes | None) -> Pair:
    if source is None or target is None:
        longer = "second" if source is None else "first"
        raise _BadLine("no partner", f": the {longer} file has more lines than the other")
    return _text(source), _text(target)


def _from_tsv(raw: bytes) -> Pair:
    columns = _text(raw).split("\t")
    if len(columns) != 2:
        raise _BadLine("malformed", f": {len(columns)} columns instead of source TAB target")
    return columns[0], columns[1]


def _from_json(raw: bytes) -> Pair:
    try:
        row = json.loads(_text(raw))
    except (json.JSONDecodeError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise _BadLine("malformed", ": not a JSON object")
    source, target = row.get("source"), row.get("target")
    if not isinstance(source, str) or not isinstance(target, str):
        raise _BadLine("malformed", ': "source" and "target" have to be strings')
    return source, target


def _parser(file: Path) -> Callable[[bytes], Pair]:
    plain = file.name.removesuffix(".gz")
    if plain.endswith(".tsv"):
        return _from_tsv
    if plain.endswith(".jsonl"):
        return _from_json
    raise HeadscopeError(
        f"{file}: one file of pairs has to be named .tsv or .jsonl (or either with .gz); "
        "for plain text name a source and a target file"
    )


def _text(raw: bytes) -> str:
    try:
        return raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise _BadLine("invalid UTF-8", f" at byte {error.start + 1}") from None


def _raw_lines(file: Path | None) -> Iterator[bytes]:
    """The lines as bytes: a binary file breaks at "\\n" alone."""
    try:
        with _opened(file) as stream:
            for number, raw in enumerate(stream):
                yield raw.removeprefix(b"\xef\xbb\xbf") if number == 0 else raw
    except FileNotFoundError:
        raise HeadscopeError(f"there is no file {file}") from None
    except (OSError, EOFError, zlib.error) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise HeadscopeError(f"{file or 'standard input'} cannot be read: {detail}") from error


@contextmanager
def _opened(file: Path | None) -> Iterator[BinaryIO]:
    if file is None:
        yield sys.stdin.buffer
    elif file.suffix == ".gz":
        with gzip.open(file, "rb") as stream:
            yield stream  # pyright: ignore[reportReturnType]  (a GzipFile reads like any binary file)
    else:
        with file.open("rb") as stream:
            yield stream
