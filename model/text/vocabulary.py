"""Text to pieces and back, with the place of every piece in the text as typed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from headscope.model.errors import HeadscopeError
from headscope.model.sites import Side

Span = tuple[int, int]
"""Start and end of a piece in the text, in characters, as in `text[start:end]`."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A text cut into pieces; no start or end symbol among them."""

    text: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    spans: tuple[Span, ...]
    """Where each piece stands in `text`. Pieces of one character share its span; a character that belongs to no
    piece leaves a gap; an empty span is a piece without any character of its own."""
    mark: str | None = None
    """For symbols with blanks between them: what says that a word goes on, one of `symbol_vocabulary.MARKS`, or nothing
    ("") where none does. None: the blanks of the text stand between words."""


@runtime_checkable
class Vocabulary(Protocol):
    """Source and target vocabulary of one model: one table or two, with or without a SentencePiece file."""

    pad: int
    unknown: int
    start: int
    """What the decoder reads first."""
    end: int
    """Closes a source sentence, and a translation."""
    prefix: tuple[int, ...]
    """Pieces that open every translation: they are prescribed, the search does not choose them."""

    def size(self, side: Side) -> int:
        """Number of ids: rows of the embedding table of that side."""
        ...

    def encode(self, text: str, side: Side = "source") -> Segmentation:
        """Cut a text into pieces. Special ids never come out of a text, however it is spelt."""
        ...

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """The ids of many texts, as `encode` gives them, but fast."""
        ...

    def locate(self, ids: Sequence[int], side: Side = "target") -> Segmentation:
        """The text that pieces stand for, and where each stands in it.

        Start, end and pad are no text: their spans are empty.
        """
        ...

    def decode(self, ids: Sequence[int], side: Side = "target") -> str:
        """The text that pieces stand for."""
        ...

    def piece(self, index: int, side: Side) -> str:
        """The piece with that id."""
        ...

    def spoken(self, index: int, side: Side = "target") -> bytes:
        """What a piece adds to the text behind others, in UTF-8: the blank before or behind a word, its letters, or one
        byte of a character. Symbols are joined by the marks that they bear, but for `￭`, which stays. Start, end and
        pad add nothing."""
        ...

    def save(self, folder: Path) -> None:
        """Write everything that `load_vocabulary` needs to make this vocabulary again."""
        ...


def load_vocabulary(folder: Path) -> Vocabulary:
    """The vocabulary that `Vocabulary.save` wrote into a folder.

    Raises:
        HeadscopeError: a file of it is missing or broken (it is named).
    """
    # Imported here because these modules need the protocol above.
    from headscope.model.text.language_tags import TaggedVocabulary
    from headscope.model.text.sentencepiece_vocabulary import SentencePieceVocabulary
    from headscope.model.text.symbol_vocabulary import SymbolVocabulary
    from headscope.model.text.vocabulary_files import read_files

    files = read_files(folder)
    description, specials = files.description, files.description.specials()
    try:
        if description.kind == "symbols":
            vocabulary: Vocabulary = SymbolVocabulary(files.tables, **specials)
        else:
            vocabulary = SentencePieceVocabulary(
                files.models, tables=files.tables, compose=description.compose, **specials
            )
    except HeadscopeError as error:
        raise HeadscopeError(f"vocabulary in {folder}: {error}") from error
    tags = description.tags
    size = min(vocabulary.size("source"), vocabulary.size("target"))
    for name, index in (specials | (tags.ids() if tags else {})).items():
        if index >= size:
            raise HeadscopeError(
                f"vocabulary in {folder}: {name} = {index}, but the last of its pieces has id {size - 1}"
            )
    return vocabulary if tags is None else TaggedVocabulary(vocabulary, tags)
