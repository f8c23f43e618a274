"""Translation memories in TMX 1.4. The library lxml comes with the extra `tmx`."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Protocol, runtime_checkable

from headscope.model.errors import HeadscopeError

CODES = ("{*}bpt", "{*}ept", "{*}it", "{*}ph", "{*}ut")
"""Elements within a segment that hold formatting codes of the original document, and no text."""
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@runtime_checkable
class Stream(Protocol):
    """Bytes from a file, whatever it is."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes."""
        ...


def read_units(stream: Stream, name: str) -> Iterator[dict[str, str]]:
    """The translation units of a file, one after the other: the text of each language, in the order of the unit.

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
    parsed = etree.iterparse(stream, tag="{*}tu", resolve_entities=False, no_network=True, remove_comments=True)
    try:
        for _, unit in parsed:
            etree.strip_elements(unit, *CODES, with_tail=False)
            yield {
                variant.get(LANGUAGE) or variant.get("lang", ""): "".join(segment.itertext())
                for variant in unit.iterchildren("{*}tuv")
                if (segment := variant.find("{*}seg")) is not None
            }
            while (before := unit.getprevious()) is not None:  # what has been read is not kept
                unit.getparent().remove(before)
    except etree.XMLSyntaxError as error:
        raise HeadscopeError(f"{name} is not TMX: {error.msg}") from error
    root = etree.QName(parsed.root).localname
    if root != "tmx":
        raise HeadscopeError(f"{name} is not TMX: its outermost element is <{root}>")


def pick(unit: Mapping[str, str], language: str) -> str | None:
    """The text of a unit in a language: `de` is met by `de`, and where that is missing by `de-DE` or `de_AT`."""
    wanted = _folded(language)
    exact = [text for found, text in unit.items() if _folded(found) == wanted]
    regional = [text for found, text in unit.items() if _folded(found).startswith(f"{wanted}-")]
    return next(iter(exact + regional), None)


def _folded(language: str) -> str:
    return language.lower().replace("_", "-")
