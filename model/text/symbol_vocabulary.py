"""A vocabulary of symbols that stand in the text with blanks between them: letters, phonemes, ready-cut pieces."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from headscope.model.sites import Side
from headscope.model.text.blank import is_blank
from headscope.model.text.vocabulary import Segmentation, Span, Vocabulary
from headscope.model.text.vocabulary_files import Description, VocabularyFiles, write_files

_SYMBOL = re.compile(r"\S+")
MARKS: Mapping[str, str] = {
    "@@": r".+@@",
    "##": r"##.+",
    "▁": r"▁.+",
    "￭": r"￭.+|.+￭",
}
"""What symbols bear that are pieces of words: `@@` or `￭` at the end of one where the word goes on, `##` or `￭` at the
beginning of one that goes on, `▁` at the beginning of one that opens a word."""


class SymbolVocabulary:
    """Symbols by table: one table for both sides, or those of source and target. What is not there is unknown."""

    prefix: tuple[int, ...] = ()

    def __init__(
        self, tables: Sequence[Sequence[str]], *, pad: int = 0, unknown: int = 1, start: int = 2, end: int = 3
    ) -> None:
        """Make the vocabulary from its symbols, each table in the order of the ids, special ones included."""
        self.pad, self.unknown, self.start, self.end = pad, unknown, start, end
        self._tables = tuple(tuple(table) for table in tables)
        special = {pad, unknown, start, end}
        self._ids = [
            {symbol: index for index, symbol in enumerate(table) if index not in special} for table in self._tables
        ]
        self._marks = [mark_of(table) for table in self._tables]

    def size(self, side: Side) -> int:
        """Number of ids."""
        return len(self._table(side))

    def encode(self, text: str, side: Side = "source") -> Segmentation:
        """Cut a text at its blanks. A blank text has no pieces."""
        found = [] if is_blank(text) else list(_SYMBOL.finditer(text))
        ids = self._lookup([match.group() for match in found], side)
        pieces = tuple(self.piece(index, side) for index in ids)
        return Segmentation(text, tuple(ids), pieces, tuple(match.span() for match in found), self._mark(side))

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """The ids of many texts."""
        return [self._lookup([] if is_blank(text) else text.split(), side) for text in texts]

    def locate(self, ids: Sequence[int], side: Side = "target") -> Segmentation:
        """The symbols with blanks between them, and where each stands."""
        pieces = tuple(self.piece(index, side) for index in ids)
        text = ""
        spans: list[Span] = []
        for index, piece in zip(ids, pieces, strict=True):
            if index in (self.pad, self.start, self.end):
                spans.append((len(text), len(text)))
                continue
            text += f" {piece}" if text else piece
            spans.append((len(text) - len(piece), len(text)))
        return Segmentation(text, tuple(ids), pieces, tuple(spans), self._mark(side))

    def decode(self, ids: Sequence[int], side: Side = "target") -> str:
        """The symbols with blanks between them."""
        return self.locate(ids, side).text

    def piece(self, index: int, side: Side) -> str:
        """The symbol with that id."""
        return self._table(side)[index]

    def spoken(self, index: int, side: Side = "target") -> bytes:
        """What a symbol adds to the text."""
        if index in (self.pad, self.start, self.end):
            return b""
        symbol, mark = self.piece(index, side), self._mark(side)
        if mark == "▁":
            return symbol.replace(mark, " ").encode()
        if mark == "@@":
            return (symbol[:-2] if re.fullmatch(MARKS[mark], symbol) else f"{symbol} ").encode()
        goes_on = mark == "##" and re.fullmatch(MARKS[mark], symbol)
        return (symbol[2:] if goes_on else f" {symbol}").encode()

    def save(self, folder: Path) -> None:
        """Write the tables and the special ids."""
        description = Description(
            kind="symbols",
            pad=self.pad,
            unknown=self.unknown,
            start=self.start,
            end=self.end,
            tables=len(self._tables),
        )
        write_files(folder, VocabularyFiles(description, tables=self._tables))

    def _lookup(self, symbols: Sequence[str], side: Side) -> list[int]:
        ids = self._ids[0 if side == "source" else -1]
        return [ids.get(symbol, self.unknown) for symbol in symbols]

    def _mark(self, side: Side) -> str:
        return self._marks[0 if side == "source" else -1]

    def _table(self, side: Side) -> tuple[str, ...]:
        return self._tables[0 if side == "source" else -1]


def mark_of(table: Iterable[str]) -> str:
    """The mark that most symbols of a table bear; nothing where none bears one."""
    counts = Counter(mark for symbol in table for mark, pattern in MARKS.items() if re.fullmatch(pattern, symbol))
    return max(counts, key=counts.__getitem__, default="")


def join(symbols: Sequence[str], mark: str) -> tuple[str, list[Span]]:
    """Symbols as words with blanks between them, without their marks, and where each stands there."""
    text, goes_on = "", True
    spans: list[Span] = []
    for symbol in symbols:
        if mark == "▁":
            goes_on = not text or not symbol.startswith(mark)
            plain, last = symbol.removeprefix(mark).replace(mark, " "), False
        else:
            marked = re.fullmatch(MARKS[mark], symbol) is not None
            first = marked and mark in ("##", "￭") and symbol.startswith(mark)
            last = marked and mark in ("@@", "￭") and symbol.endswith(mark)
            plain = symbol[len(mark) * first : len(symbol) - len(mark) * last]
            goes_on = goes_on or first
        text += plain if goes_on else f" {plain}"
        spans.append((len(text) - len(plain), len(text)))
        goes_on = last
    return text, spans


def pieces_of(vocabulary: Vocabulary) -> SymbolVocabulary:
    """The same ids, for text that is pieces of the vocabulary with blanks between them."""
    sides: tuple[Side, Side] = ("source", "target")
    tables = [[vocabulary.piece(index, side) for index in range(vocabulary.size(side))] for side in sides]
    symbols = SymbolVocabulary(
        tables, pad=vocabulary.pad, unknown=vocabulary.unknown, start=vocabulary.start, end=vocabulary.end
    )
    symbols.prefix = vocabulary.prefix
    return symbols
