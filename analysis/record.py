"""The one record of attention that every view, export and statistic starts from. No torch here.

`S` source pieces with the end of sentence, `T` target rows, `H` heads of a layer.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

Kind = Literal["encoder", "decoder", "cross"]
Quantity = Literal["weight", "contribution", "difference"]


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a sentence."""

    piece: str
    id: int
    span: tuple[int, int]
    """Start and end in the text as typed, in characters; empty for a symbol that is not part of the text."""
    special: bool = False
    """Start, end or padding symbol."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """A sentence and its pieces, in order."""

    text: str
    tokens: tuple[Token, ...]

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class AttentionMaps:
    """All attention of one teacher-forced pass over one sentence pair.

    Row t of decoder and cross maps *reads* target token t - 1 (the start symbol at row 0) and *predicts* token t.
    """

    encoder: tuple[np.ndarray, ...]
    """One [H, S, S] array a layer: row = the token that reads, column = the token looked at."""
    decoder: tuple[np.ndarray, ...]
    """One [H, T, T] array a layer: rows and columns are `reads`."""
    cross: tuple[np.ndarray, ...]
    """One [H, T, S] array a layer: rows are `reads`, columns `source`."""
    source: Tokens
    reads: Tokens
    predicts: Tokens
    log_probs: np.ndarray
    """[T], nats: of each token in `predicts`."""
    quantity: Quantity
    fingerprint: str
    """Identifies the model, the pair and the settings the record was made from."""

    def layers(self, kind: Kind) -> tuple[np.ndarray, ...]:
        """The maps of one kind, one array a layer."""
        return {"encoder": self.encoder, "decoder": self.decoder, "cross": self.cross}[kind]

    def queries(self, kind: Kind) -> Tokens:
        """What the rows of that kind of map stand for."""
        return self.source if kind == "encoder" else self.reads

    def keys(self, kind: Kind) -> Tokens:
        """What the columns of that kind of map stand for."""
        return self.reads if kind == "decoder" else self.source
