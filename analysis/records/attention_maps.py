"""The one record of attention that every view, export and statistic starts from. No torch here.

`S` source pieces with the end of sentence, `T` target rows, `H` heads of a layer.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from headscope.model.errors import HeadscopeError
from headscope.model.sites import KIND_NAMES, KINDS, AttentionKind

if TYPE_CHECKING:
    from pandas import DataFrame

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

    maps: Mapping[AttentionKind, tuple[np.ndarray, ...]]
    """One [H, Q, K] array a layer, of every kind that the model has: row = the token that looks, column = the token
    looked at, which are those of `queries` and `keys`."""
    allowed: Mapping[AttentionKind, np.ndarray]
    """[Q, K] of truth: where the pass that was recorded allowed a row to look."""
    source: Tokens
    reads: Tokens
    predicts: Tokens
    log_probs: np.ndarray
    """[T], nats: of each token in `predicts`."""
    quantity: Quantity
    fingerprint: str
    """Identifies the model, the pair and the settings the record was made from."""

    @property
    def finished(self) -> bool:
        """Whether the last row predicts the end of sentence. False: the translation was cut off before it."""
        return self.predicts.tokens[-1].special

    def __repr__(self) -> str:
        """What it holds, in a few lines: what a notebook shows."""
        lines = [f"AttentionMaps of {self.quantity}s", f"  source   {self.source.text!r}, {len(self.source)} tokens"]
        target = f"{len(self.predicts)} tokens, {self.log_probs.sum():.3f} nats{'' if self.finished else ', cut off'}"
        lines.append(f"  target   {self.predicts.text!r}, {target}")
        for kind in self.maps:
            shapes = [" × ".join(map(str, layer.shape)) for layer in self.layers(kind)]
            same = shapes[:1] if len(set(shapes)) == 1 else shapes
            lines.append(f"  {kind:8} {len(shapes)} layers of {', '.join(same)}")
        return "\n".join(lines)

    @property
    def encoder(self) -> tuple[np.ndarray, ...]:
        """One [H, S, S] array a layer: rows and columns are `source`."""
        return self.layers("encoder")

    @property
    def decoder(self) -> tuple[np.ndarray, ...]:
        """One [H, T, T] array a layer: rows and columns are `reads`."""
        return self.layers("decoder")

    @property
    def cross(self) -> tuple[np.ndarray, ...]:
        """One [H, T, S] array a layer: rows are `reads`, columns `source`."""
        return self.layers("cross")

    def layers(self, kind: AttentionKind) -> tuple[np.ndarray, ...]:
        """The maps of one kind, one array a layer; empty where the model has none."""
        return self.maps.get(kind, ())

    def require(self, kinds: Iterable[AttentionKind], what: str) -> None:
        """Check that there are maps of all these kinds, which `what` is computed from.

        Raises:
            HeadscopeError: there are none of one of them.
        """
        for kind in kinds:
            if not self.layers(kind):
                raise HeadscopeError(f"{what} needs {KIND_NAMES[kind]}, which this model has not: choose another model")

    def queries(self, kind: AttentionKind) -> Tokens:
        """What the rows of that kind of map stand for."""
        return self.source if kind == "encoder" else self.reads

    def keys(self, kind: AttentionKind) -> Tokens:
        """What the columns of that kind of map stand for."""
        return self.reads if kind == "decoder" else self.source

    def mapped(self, change: Callable[[AttentionKind, np.ndarray], np.ndarray], name: str) -> "AttentionMaps":
        """The record with every array changed; `name` says how, and joins the fingerprint."""
        return replace(
            self,
            maps={kind: tuple(change(kind, layer) for layer in layers) for kind, layers in self.maps.items()},
            fingerprint=f"{self.fingerprint} {name}",
        )

    def to_pandas(self) -> "DataFrame":
        """Every cell as a row: kind, layer, head, query_index, key_index, query, key, and a column named `quantity`.

        Layer, head and indices count from 0; `query` and `key` are pieces. The query of a decoder or cross row is what
        the row reads.
        """
        import pandas as pd

        def table(kind: AttentionKind, layer: int, maps: np.ndarray) -> pd.DataFrame:
            # Objects, for a sentence may hold what the text columns of pandas cannot: half of a surrogate pair.
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
                    "query": pd.Series(pieces["query"][query], dtype=object),
                    "key": pd.Series(pieces["key"][key], dtype=object),
                    self.quantity: maps.ravel(),
                }
            )

        tables = [table(kind, layer, maps) for kind in KINDS for layer, maps in enumerate(self.layers(kind))]
        return pd.concat(tables, ignore_index=True)
