"""Vocabularies of models for many languages, whose texts begin with a piece that names a language."""

import re
from collections.abc import Sequence
from pathlib import Path

from headscope.model.errors import HeadscopeError
from headscope.model.sites import Side
from headscope.model.text.blank import is_blank
from headscope.model.text.vocabulary import Segmentation, Span, Vocabulary
from headscope.model.text.vocabulary_files import Tags, add_tags

_TYPED = re.compile(r">>.*?<<")
SHOWN = 8
"""Tags that an error lists."""


def is_tag(piece: str) -> bool:
    """Whether a piece is a language tag as Marian writes them, such as `>>deu<<`."""
    return bool(_TYPED.fullmatch(piece)) and len(piece) > len(">><<")


class TaggedVocabulary:
    """A vocabulary whose texts open with language tags.

    Marian's are typed: a source text begins with one of them (`>>deu<< Good morning`), which is a piece of its own;
    further on in a text `>>` is text. Those of M2M-100 and NLLB stand before every text of a side without being typed,
    so their spans are empty.
    """

    def __init__(self, inner: Vocabulary, tags: Tags) -> None:
        self.pad, self.unknown, self.start, self.end = inner.pad, inner.unknown, inner.start, inner.end
        self.prefix = () if tags.target is None else (tags.target,)
        self._inner, self._tags = inner, tags
        pieces = (inner.piece(index, "source") for index in range(inner.size("source")))
        self._typed = {piece: index for index, piece in enumerate(pieces) if tags.typed and is_tag(piece)}

    def size(self, side: Side) -> int:
        """Number of ids."""
        return self._inner.size(side)

    def encode(self, text: str, side: Side = "source") -> Segmentation:
        """Cut a text into pieces, the tag first. A source text without anything behind the tag has no pieces.

        Raises:
            HeadscopeError: a source text has no tag where one has to be typed, or one that the model does not know.
        """
        opening, length = self._opening(text, side)
        rest = self._inner.encode(text[length:], side)
        if side == "source" and not rest.ids:
            return Segmentation(text, (), (), ())
        spans: list[Span] = [(0, length)] * len(opening) + [(a + length, b + length) for a, b in rest.spans]
        pieces = (*(self.piece(index, side) for index in opening), *rest.pieces)
        return Segmentation(text, (*opening, *rest.ids), pieces, tuple(spans), rest.mark)

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """The ids of many texts, as `encode` gives them, but fast."""
        openings = [self._opening(text, side) for text in texts]
        rests = self._inner.encode_ids([text[length:] for text, (_, length) in zip(texts, openings, strict=True)], side)
        return [
            [*opening, *rest] if rest or side == "target" else []
            for (opening, _), rest in zip(openings, rests, strict=True)
        ]

    def locate(self, ids: Sequence[int], side: Side = "target") -> Segmentation:
        """The text that pieces stand for, and where each stands in it. Tags that are not typed are no text."""
        silent = {self._tags.source, self._tags.target}
        found = self._inner.locate([self.pad if index in silent else index for index in ids], side)
        pieces = tuple(self.piece(index, side) for index in ids)
        return Segmentation(found.text, tuple(ids), pieces, found.spans, found.mark)

    def decode(self, ids: Sequence[int], side: Side = "target") -> str:
        """The text that pieces stand for."""
        return self.locate(ids, side).text

    def piece(self, index: int, side: Side) -> str:
        """The piece with that id."""
        return self._inner.piece(index, side)

    def spoken(self, index: int, side: Side = "target") -> bytes:
        """What a piece adds to the text. Tags that are not typed add nothing."""
        return b"" if index in (self._tags.source, self._tags.target) else self._inner.spoken(index, side)

    def save(self, folder: Path) -> None:
        """Write the vocabulary and its tags."""
        self._inner.save(folder)
        add_tags(folder, self._tags)

    def _opening(self, text: str, side: Side) -> tuple[tuple[int, ...], int]:
        """The pieces that a text opens with, and how much of the text they are."""
        if side == "target":
            return self.prefix, 0
        if self._tags.source is not None:
            return (self._tags.source,), 0
        typed = _TYPED.match(text)
        if typed and typed[0] in self._typed:
            return (self._typed[typed[0]],), typed.end()
        if len(self._typed) > 1 and not is_blank(text):
            tags = ", ".join([*self._typed][:SHOWN]) + (", …" if len(self._typed) > SHOWN else "")
            begun = f"'{typed[0]}' is no language of this model" if typed else "this model writes several languages"
            raise HeadscopeError(f"{begun}: begin the text with one of {tags}")
        return (), 0
