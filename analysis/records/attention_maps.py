"""The one record of attention that every view, export and statistic starts from. No torch here.

`S` source pieces with the end of sentence, `T` target rows, `H` heads of a layer.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from pandas import DataFrame

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
    mark: str | None = None
    """What says that a word goes on, as in `Segmentation`."""

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def special(self) -> np.ndarray:
        """Which are start, end or padding symbols."""
        return np.array([token.special for token in self.tokens])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        """What it holds, in a few lines: what a notebook shows."""
        lines = [f"AttentionMaps of {self.quantity}s", f"  source   {self.source.text!r}, {len(self.source)} tokens"]
        lines.append(f"  target   {self.predicts.text!r}, {len(self.predicts)} tokens, {self.log_probs.sum():.3f} nats")
        for kind in ("encoder", "decoder", "cross"):
            shapes = [" × ".join(map(str, layer.shape)) for layer in self.layers(kind)]
            same = shapes[:1] if len(set(shapes)) == 1 else shapes
            lines.append(f"  {kind:8} {len(shapes)} layers of {', '.join(same)}")
        return "\n".join(lines)

    def layers(self, kind: Kind) -> tuple[np.ndarray, ...]:
        """The maps of one kind, one array a layer."""
        return {"encoder": self.encoder, "decoder": self.decoder, "cross": self.cross}[kind]

    def queries(self, kind: Kind) -> Tokens:
        """What the rows of that kind of map stand for."""
        return self.source if kind == "encoder" else self.reads

    def keys(self, kind: Kind) -> Tokens:
        """What the columns of that kind of map stand for."""
        return self.reads if kind == "decoder" else self.source

    def mapped(self, change: Callable[[Kind, np.ndarray], np.ndarray], name: str) -> "AttentionMaps":
        """The record with every array changed; `name` says how, and joins the fingerprint."""
        return replace(
            self,
            encoder=tuple(change("encoder", layer) for layer in self.encoder),
            decoder=tuple(change("decoder", layer) for layer in self.decoder),
            cross=tuple(change("cross", layer) for layer in self.cross),
            fingerprint=f"{self.fingerprint} {name}",
        )

    def to_pandas(self) -> "DataFrame":
        """Every cell as a row: kind, layer, head, query_index, key_index, query, key, and a column named `quantity`.

        Layer, head and indices count from 0; `query` and `key` are pieces. The query of a decoder or cross row is what
        the row reads.
        """
        import pandas as pd

        def table(kind: Kind, layer: int, maps: np.ndarray) -> pd.DataFrame:
            head, query, key = (index.ravel() for index in np.indices(maps.shape))
            pieces = {
                role: np.array([token.piece for token in tokens.tokens], dtype=object)
                for role, tokens in (("query", self.queries(kind)), ("key", self.keys(kind)))
            }
            return pd.DataFrame(
                {
                    "kind": kind,
                    "layer": layer,
                    "head": head,
                    "query_index": query,
                    "key_index": key,
                    "query": pieces["query"][query],
                    "key": pieces["key"][key],
                    self.quantity: maps.ravel(),
                }
            )

        kinds: tuple[Kind, ...] = ("encoder", "decoder", "cross")
        tables = [table(kind, layer, maps) for kind in kinds for layer, maps in enumerate(self.layers(kind))]
        return pd.concat(tables, ignore_index=True)
