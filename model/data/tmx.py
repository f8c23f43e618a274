"""Translation memories in TMX 1.4. The library lxml comes with the extra `tmx`."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any, Protocol, runtime_checkable

from headscope.model.errors import HeadscopeError
from headscope.model.text.blank import is_blank

CODES = ("{*}bpt", "{*}ept", "{*}it", "{*}ph", "{*}ut")
"""Elements within a segment that hold formatting codes of the original document, and no text."""
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

_SPOILT = {
    "ERR_INVALID_CHAR": "a character that XML does not allow",
    "ERR_INVALID_ENCODING": "bytes that are no character",
    "ERR_UNDECLARED_ENTITY": "an entity that is not declared",
}
"""Faults that spoil one unit: the parser can go on behind them. Any other spoils the file."""
_END = re.compile(rb"</(?:[\w.-]+:)?tu\s*>")
_BLOCK, _LONGEST = 1 << 16, 1 << 20
"""Bytes that are read at once, and that wait for the end of a unit."""


@runtime_checkable
class Stream(Protocol):
    """Bytes from a file, whatever it is."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Unit:
    """A translation unit."""

    texts: tuple[tuple[str, str], ...]
    """Language and text of each variant, in the order of the file."""
    problem: str | None = None
    """What is wrong with its text; None: nothing."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Those it has, each once."""
        return tuple(dict.fromkeys(language for language, _ in self.texts))


def read_units(stream: Stream, name: str) -> Iterator[Unit]:
    """The translation units of a file, one after the other.

    Nothing outside the file is read, and no entity is expanded.

    Args:
        name: what the file is called in messages.

    Raises:
        HeadscopeError: lxml is not installed, or the file is not TMX (the line is named).
    """
    try:
        etree = import_module("lxml.etree")
    except ImportError as error:
        raise HeadscopeError(f"{name}: reading TMX needs lxml: pip install 'headscope[tmx]'") from error
    blocks, encoding = _blocks(stream)
    parser = etree.XMLPullParser(
        ("end",), tag="{*}tu", recover=True, encoding=encoding,
        resolve_entities=False, no_network=True, remove_comments=True,
    )  # fmt: skip
    known = 0

    def problem() -> str | None:
        """What the parser has complained of since it was last asked."""
        nonlocal known
        faults = list(parser.feed_error_log)[known:]
        known += len(faults)
        for fault in faults:
            if fault.type_name not in _SPOILT:
                where = f"line {fault.line}, column {fault.column}"
                raise HeadscopeError(f"{name} is not TMX: {' '.join(fault.message.split())}, {where}")
        return f"{_SPOILT[faults[0].type_name]} (line {faults[0].line})" if faults else None

    try:
        for part in _by_unit(blocks):
            parser.feed(part)
            fault = problem()
            for _, unit in parser.read_events():
                etree.strip_elements(unit, *CODES, with_tail=False)
                yield Unit(tuple(_texts(unit)), fault)
                while (before := unit.getprevious()) is not None:  # what has been read is not kept
                    unit.getparent().remove(before)
        root = etree.QName(parser.close()).localname
        problem()
    except (etree.XMLSyntaxError, UnicodeDecodeError) as error:
        raise HeadscopeError(f"{name} is not TMX: {error}") from error
    if root != "tmx":
        raise HeadscopeError(f"{name} is not TMX: its outermost element is <{root}>")


def pick(unit: Unit, language: str) -> tuple[str, ...]:
    """The texts of a unit in a language: `de` is met by `de`, and where that is missing by `de-DE` or `de_AT`.

    Of several variants with one code each counts, once, and blank ones only where there is no other. Of several regions
    the first is taken.
    """
    wanted = _folded(language)
    codes = {_folded(found) for found in unit.languages}
    code = wanted if wanted in codes else next(
        (_folded(found) for found in unit.languages if _folded(found).startswith(f"{wanted}-")), None
    )  # fmt: skip
    texts = dict.fromkeys(text for found, text in unit.texts if _folded(found) == code)
    return tuple(text for text in texts if not is_blank(text)) or tuple(texts)[:1]


def _texts(unit: Any) -> Iterator[tuple[str, str]]:
    for variant in unit.iterchildren("{*}tuv"):
        if (segment := variant.find("{*}seg")) is not None:
            yield variant.get(LANGUAGE) or variant.get("lang", ""), "".join(segment.itertext())


def _blocks(stream: Stream) -> tuple[Iterator[bytes], str | None]:
    """The file block by block, and its encoding where that is not what it says itself: UTF-16 is brought to UTF-8."""
    start = stream.read(_BLOCK)
    rest = iter(lambda: stream.read(_BLOCK), b"")
    blocks = chain([start], rest)
    if not start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return blocks, None
    return (text.encode("utf-8") for text in codecs.iterdecode(blocks, "utf-16")), "utf-8"


def _by_unit(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, cut behind every unit, so that it is known which one the parser complains of."""
    rest = b""
    for block in blocks:
        rest += block
        first = 0
        for match in _END.finditer(rest):
            yield rest[first : match.end()]
            first = match.end()
        rest = rest[first:]
        if len(rest) > _LONGEST:
            yield rest
            rest = b""
    yield rest


def _folded(language: str) -> str:
    return language.lower().replace("_", "-")
