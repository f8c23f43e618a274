"""Vocabularies of Marian, taken for what they hold: YAML or JSON, a list of pieces, or a SentencePiece model."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from headscope.model.errors import HeadscopeError
from headscope.model.interop.settings import yaml_pairs

END, UNKNOWN = "</s>", "<unk>"


@dataclass(frozen=True, slots=True)
class MarianVocabulary:
    """One vocabulary."""

    path: Path
    table: tuple[str, ...]
    """Its pieces in the order of their ids."""
    sentencepiece: bool = False
    """Whether the file is a SentencePiece model, which cuts texts too."""
    notes: Sequence[str] = ()
    """What the user should know, a line each."""


def read_marian_vocabulary(path: Path) -> MarianVocabulary:
    """Read one, whatever its name ends with.

    Raises:
        HeadscopeError: it is nothing of the kind, or damaged, or lacks ids or the pieces for unknown and the end.
    """
    content = path.read_bytes()
    if (found := _sentencepiece(path, content)) is None:
        try:
            text = content.decode().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise HeadscopeError(f"{path} is neither text in UTF-8 nor a SentencePiece model") from error
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        found = _listed(path, lines) if END in lines else _paired(path, text)
    if not {END, UNKNOWN} <= set(found.table):
        raise HeadscopeError(f"{path}: ids are missing, or the pieces {END} and {UNKNOWN}")
    return found


def _sentencepiece(path: Path, content: bytes) -> MarianVocabulary | None:
    """The pieces of a SentencePiece model; None: it is none."""
    try:
        processor = SentencePieceProcessor(model_proto=content) if content else None
    except RuntimeError:
        return None
    if processor is None or not processor.piece_size():
        return None
    return MarianVocabulary(path, tuple(processor.id_to_piece(list(range(processor.piece_size())))), True)


def _listed(path: Path, lines: list[str]) -> MarianVocabulary:
    """A piece on each line. Its number is its id."""
    seen: set[str] = set()
    for number, piece in enumerate(lines, 1):
        if not piece or piece in seen:
            wrong = f"{piece[:40]!r} stands there a second time" if piece else "a piece is expected"
            raise HeadscopeError(f"{path}, line {number}: {wrong}")
        seen.add(piece)
    return MarianVocabulary(path, tuple(lines))


def _json_pairs(text: str) -> list[tuple[str, str, int]] | None:
    """The pairs of a JSON object as text, all in line 1; None: it is none. YAML has no escapes in surrogate pairs."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return None
    return [(piece, str(index), 1) for piece, index in pairs] if text.lstrip().startswith("{") else None


def _paired(path: Path, text: str) -> MarianVocabulary:
    """Pieces with their ids, in YAML, of which JSON is a part. Of a piece that stands there twice the first id counts,
    as in Marian; the row of the other is never read."""
    ids: dict[int, str] = {}
    first: dict[str, int] = {}
    notes = []
    for piece, index, line in _json_pairs(text) or yaml_pairs(text, path):
        if not index.isascii() or not index.isdecimal():
            raise HeadscopeError(f"{path}, line {line}: a piece and its id are expected, not {piece[:40]!r}")
        if piece in first:
            notes.append(f"{path.name}, line {line}: {piece!r} has an id already, {first[piece]}, which counts")
        else:
            first[piece] = int(index)
        ids.setdefault(int(index), f"<unused {index}>" if first[piece] != int(index) else piece)
    if sorted(ids) != list(range(len(ids))) or any(ids[index] != piece for piece, index in first.items()):
        raise HeadscopeError(f"{path}: ids are missing, or the pieces {END} and {UNKNOWN}")
    return MarianVocabulary(path, tuple(ids[index] for index in range(len(ids))), notes=notes)
