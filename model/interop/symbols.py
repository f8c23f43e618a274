"""Vocabularies of symbols, brought into one order.

Other toolkits give each side its own ids for unknown, start, end and padding; here they are the same on both sides. Ids
mean nothing outside the model, so the special symbols simply move to the front, and rows of the tables with them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.interop.files import read_bytes
from headscope.model.text.sentencepiece_vocabulary import SentencePieceVocabulary
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary import Vocabulary

SENTENCEPIECE = (("source.spm", "target.spm"), ("sentencepiece.model",), ("sentencepiece.bpe.model",))
"""Files that may lie beside a table of pieces: one for each side, or one for both."""
SPECIALS = ("pad", "unknown", "start", "end")


@dataclass(frozen=True, slots=True)
class Order:
    """A table in its new order."""

    pieces: tuple[str, ...]
    rows: tuple[int | None, ...]
    """Where each row was before; None: it is new, for a special symbol that this side lacked and never reads."""

    @property
    def known(self) -> int:
        """How many rows there were before."""
        return sum(row is not None for row in self.rows)

    def apply(self, tensor: Tensor) -> Tensor:
        """The rows of a table, or the numbers of a bias, in the new order; new ones are zero."""
        kept = torch.tensor([-1 if row is None else row for row in self.rows])
        moved = tensor[kept.clamp(min=0)]
        return moved.masked_fill((kept < 0).view(-1, *[1] * (tensor.dim() - 1)), 0)


def align(tables: Sequence[Sequence[str]], specials: Mapping[str, str]) -> tuple[list[Order], dict[str, int]]:
    """The tables of one side or of both with the special symbols in front, and the ids of these.

    Args:
        specials: the symbol of each in `SPECIALS`. Two may be one; the last table has to have all of them.
    """
    front = list(dict.fromkeys(specials[name] for name in SPECIALS))
    orders = []
    for table in tables:
        places = {piece: place for place, piece in reversed(list(enumerate(table)))}
        first = [places.get(piece) for piece in front]
        rest = [place for place in range(len(table)) if place not in first]
        orders.append(Order((*front, *(table[place] for place in rest)), (*first, *rest)))
    return orders, {name: front.index(specials[name]) for name in SPECIALS}


def reorder(tensors: Mapping[str, Tensor], orders: Mapping[str, Order], path: Path) -> dict[str, Tensor]:
    """The tensors, of which those that `orders` names have their rows in the new order.

    Raises:
        HeadscopeError: one has not as many rows as its vocabulary had pieces.
    """
    moved = dict(tensors)
    for name, order in orders.items():
        pieces = order.known
        if name in moved and len(moved[name]) != pieces:
            raise HeadscopeError(
                f"{path}: '{name}' has {len(moved[name]):,} rows, the vocabulary {pieces:,} pieces: "
                "they are not of one model"
            )
        if name in moved:
            moved[name] = order.apply(moved[name])
    return moved


def without_padding(
    tensors: Mapping[str, Tensor], pieces: Mapping[str, int], path: Path
) -> tuple[dict[str, Tensor], list[str]]:
    """The tensors, of which tables and biases end with the last piece of their vocabulary; and a note on what is cut.

    Tables are padded to a round number of rows, which never doubles them. What has fewer rows than pieces, or far more,
    is of another model: it stays as it is, for the check of shapes to refuse.

    Args:
        pieces: how many there are, by the name of a tensor.

    Raises:
        HeadscopeError: one of these tensors has no rows.
    """
    cut, notes = dict(tensors), []
    for name, count in pieces.items():
        if name not in tensors:
            continue
        if not tensors[name].dim():
            raise HeadscopeError(f"{path}: '{name}' is a single number, not a table with a row for each piece")
        rows = len(tensors[name])
        if is_padded(rows, count):
            cut[name] = tensors[name][:count]
            notes.append(
                f"'{name}' has {rows:,} rows for {count:,} pieces: the {rows - count:,} that no piece has are cut, and "
                "no probability is left for them"
            )
    return cut, notes


def is_padded(rows: int, pieces: int) -> bool:
    """Whether a table has all pieces of a vocabulary and some rows more."""
    return pieces < rows < 2 * pieces


def symbol_vocabulary(
    folder: Path, tables: Sequence[Sequence[str]], ids: Mapping[str, int], named: Sequence[str] = ()
) -> Vocabulary:
    """The vocabulary with these tables and special ids.

    It cuts text by the SentencePiece models that the folder has, or at its blanks where it has none.

    Args:
        named: files of such models, for both sides or one a side, if the settings name them.

    Raises:
        HeadscopeError: such a model is damaged.
    """
    for names in (named, *SENTENCEPIECE) if named else SENTENCEPIECE:
        if all((folder / name).exists() for name in names):
            models = [read_bytes(folder, name) for name in names]
            return SentencePieceVocabulary(models, tables=tables, compose=False, **ids)
    return SymbolVocabulary(tables, **ids)


def named_models(folder: Path, stated: Mapping[str, object]) -> tuple[list[str], list[str]]:
    """The SentencePiece models that settings name, by the key that names each, where all lie in the folder.

    Returns:
        their names there, each once; and a note for each that is not there.
    """
    names = list(dict.fromkeys(Path(name).name for name in stated.values() if isinstance(name, str) and name))
    missing = [
        f"{key} = {name!r} is not obeyed: there is no such file in the folder; put it there and import again"
        for key, name in stated.items()
        if isinstance(name, str) and name and not (folder / Path(name).name).is_file()
    ]
    return ([] if missing else names), missing


def read_lines(path: Path) -> list[str]:
    """The lines of a text file, which end at the line feed alone.

    Raises:
        HeadscopeError: it is not UTF-8.
    """
    try:
        return path.read_bytes().decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise HeadscopeError(f"{path} is not text in UTF-8") from error
