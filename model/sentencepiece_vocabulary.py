"""A vocabulary made of SentencePiece models: one for both sides or one a side, with or without tables of ids."""

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from model.composition import compose, composed_from
from model.errors import HeadscopeError
from model.vocabulary import Segmentation, Side, Span
from model.vocabulary_files import Description, VocabularyFiles, side_names, write_files

BLANK = "▁"
"""What SentencePiece writes for a blank."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class SentencePieceVocabulary:
    """Pieces cut by SentencePiece.

    Without tables a piece has the id that SentencePiece gives it; with tables, its place in the table of its side, and a
    piece that is not there is unknown. A lone surrogate, which no file can hold, counts as U+FFFD.
    """

    def __init__(
        self,
        models: Sequence[bytes],
        *,
        tables: Sequence[Sequence[str]] = (),
        pad: int = 0,
        unknown: int = 1,
        start: int = 2,
        end: int = 3,
        compose: bool = False,
    ) -> None:
        """Make the vocabulary from its parts.

        Args:
            models: contents of SentencePiece .model files: one for both sides, or those of source and target.
            tables: pieces in the order of their ids: none, one table for both sides, or those of source and target.
            compose: bring text to Unicode's composed form (NFC) before SentencePiece sees it; its own rules compose
                only the usual orders of combining marks.

        Raises:
            HeadscopeError: a model is not a SentencePiece model.
        """
        self.pad, self.unknown, self.start, self.end = pad, unknown, start, end
        self._models, self._tables, self._compose = tuple(models), tuple(map(tuple, tables)), compose
        names = side_names(len(self._models))
        processors = [_processor(model, name) for model, name in zip(self._models, names, strict=True)]
        specials = {pad, unknown, start, end}
        self._source, self._target = (
            _Pieces(processors[side], self._tables[side] if self._tables else None, unknown, specials)
            for side in (0, -1)
        )

    def size(self, side: Side) -> int:
        """Number of ids: rows of the embedding table of that side."""
        return len(self._side(side).names)

    def encode(self, text: str, side: Side = "source") -> Segmentation:
        """Cut a text into pieces.

        A piece stands for all characters that its normalised ones were made of, so two pieces that share a character
        (bytes of one, parts of a ligature) both have it in their spans. A blank belongs to the piece that begins with
        it; the blank that SentencePiece puts before the first word is none of the text.
        """
        pieces = self._side(side)
        typed = _without_surrogates(text)
        given, origins = composed_from(typed) if self._compose else (typed, range(len(typed) + 1))
        normalised, offsets = pieces.processor.normalize(given, with_offsets=True)
        cut = pieces.processor.encode(given, return_type="offset_mapping")
        ids = tuple(pieces.ids[index] for index in cut["ids"])
        extents = _extents([origins[offset] for offset in offsets])
        if pieces.blank_first and extents:
            beginning = extents[1][0] if len(extents) > 1 else extents[0][0]
            extents[0] = (beginning, beginning)
        spans = pieces.spans(cut["ids"], cut["pieces"], normalised, extents)
        return Segmentation(text, ids, tuple(pieces.names[index] for index in ids), spans)

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """The ids of many texts, as `encode` gives them, but fast."""
        pieces = self._side(side)
        cut = pieces.processor.encode([self._given(text) for text in texts])
        return [[pieces.ids[index] for index in ids] for ids in cut]

    def locate(self, ids: Sequence[int], side: Side = "target") -> Segmentation:
        """The text that pieces stand for, and where each stands in it.

        Bytes that make up no character are U+FFFD each, an unknown piece is " ⁇ " as with SentencePiece.
        """
        pieces = self._side(side)
        silent = {self.pad, self.start, self.end}
        text, spoken = pieces.decode([index for index in ids if index not in silent])
        spans: list[Span] = []
        following = iter(spoken)
        for index in ids:
            here = spans[-1][1] if spans else 0
            spans.append((here, here) if index in silent else next(following))
        return Segmentation(text, tuple(ids), tuple(pieces.names[index] for index in ids), tuple(spans))

    def decode(self, ids: Sequence[int], side: Side = "target") -> str:
        """The text that pieces stand for."""
        return self.locate(ids, side).text

    def piece(self, index: int, side: Side) -> str:
        """The piece with that id."""
        return self._side(side).names[index]

    def save(self, folder: Path) -> None:
        """Write models, tables and special ids."""
        description = Description(
            kind="sentencepiece",
            pad=self.pad,
            unknown=self.unknown,
            start=self.start,
            end=self.end,
            models=len(self._models),
            tables=len(self._tables),
            compose=self._compose,
        )
        write_files(folder, VocabularyFiles(description, self._models, self._tables))

    def _side(self, side: Side) -> "_Pieces":
        return self._source if side == "source" else self._target

    def _given(self, text: str) -> str:
        text = _without_surrogates(text)
        return compose(text) if self._compose else text
