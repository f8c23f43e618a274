"""Lines of text as they come in, in groups that are worth computing together."""

import select
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import BinaryIO

from headscope.model.data.parallel_text import BYTE_ORDER_MARK, BadLine, decode_line, opened

GROUP = 1024
BLOCK = 1 << 16
PATIENCE = 0.05
"""Seconds that a group waits for another line."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text, without its end."""

    number: int
    text: str
    problem: str | None = None
    """Why it cannot be read; its text is empty then."""


def line_groups(file: Path | None, size: int = GROUP) -> Iterator[list[Line]]:
    """The lines of a file, or of standard input (None), in groups of at most `size`.

    A group has as many lines as are there already, so that nothing typed or piped has to wait for lines to come.

    Raises:
        HeadscopeError: the file cannot be read.
    """
    numbers = count(1)
    with opened(file) as stream:
        for group in _arriving(stream, size):
            yield [_line(next(numbers), raw) for raw in group]


def _line(number: int, raw: bytes) -> Line:
    try:
        return Line(number, decode_line(raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw))
    except BadLine as bad:
        return Line(number, "", str(bad))


def _arriving(stream: BinaryIO, size: int) -> Iterator[list[bytes]]:
    lines: list[bytes] = []
    rest: list[bytes] = []
    while block := stream.read1(BLOCK):  # pyright: ignore[reportAttributeAccessIssue]  (every buffered stream has it)
        *whole, begun = block.split(b"\n")
        if whole:
            lines += [b"".join([*rest, whole[0]]), *whole[1:]]
            rest = []
        rest.append(begun)
        while len(lines) >= size or (lines and not _more_is_there(stream)):
            yield lines[:size]
            del lines[:size]
    if last := b"".join(rest):
        lines.append(last)
    for first in range(0, len(lines), size):
        yield lines[first : first + size]


def _more_is_there(stream: BinaryIO) -> bool:
    return bool(select.select([stream], [], [], PATIENCE)[0])
