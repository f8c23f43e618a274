"""Inside one head: products of a query with every key, their sums, and what scaling, mask and softmax make of them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.measures.deciding import deciding_query
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import Label
from headscope.app.wire.axes import NAMES, Row, columns, rows
from headscope.app.wire.encoding import weights
from headscope.model.sites import AttentionKind

_LEAST_SURE = "the model was least sure of the piece that it writes from here"
WHY: Mapping[AttentionKind, str] = {
    "cross": _LEAST_SURE,
    "decoder": _LEAST_SURE,
    "encoder": "cross-attention looks here most where the model was least sure of what to write",
}

if TYPE_CHECKING:
    from headscope.analysis.capture.query_key import QueryKey


@dataclass(frozen=True, slots=True)
class Ends:
    """Where the colour scales end, on either side of 0."""

    product: float
    score: float
    scaled: float


@dataclass(frozen=True, slots=True)
class Inside:
    """What the component gets. It multiplies entries itself, which would be too many to send."""

    signature: str
    kind: AttentionKind
    title: str
    name: str
    """For screen readers."""
    rows: tuple[Row, ...]
    columns: tuple[Label, ...]
    width: int
    """Entries of a query, and of a key."""
    scaling: str
    """What becomes of the sums, in words."""
    query: str
    """As `decode` takes them, as all six are."""
    key: str
    scores: str
    scaled: str
    masked: str
    weights: str
    most: Ends
    first: int
    """Row that is shown as long as the visitor has chosen none."""
    why: str
    """Why that one."""


def inside(found: "QueryKey", maps: AttentionMaps) -> Inside:
    """A head's queries and keys; `maps` is the record, in pieces, of the sentence pair that was looked into."""
    kind, layer, head = found.head
    width = found.query.shape[1]
    title = f"{NAMES[kind]}, layer {layer + 1}, head {head + 1}"
    biased = not np.allclose(found.scaled, found.scores / math.sqrt(width), atol=1e-3)
    return Inside(
        signature=f"{maps.fingerprint} {found.head}",
        kind=kind,
        title=title,
        name=f"{title}: {len(found.key)} keys, {width} products each. Arrow keys read them out.",
        rows=rows(maps, kind),
        columns=columns(maps, kind),
        width=width,
        scaling=f"÷ √{width}" + (" + bias" if biased else ""),
        query=weights(found.query),
        key=weights(found.key),
        scores=weights(found.scores),
        scaled=weights(found.scaled),
        masked=weights(found.masked),
        weights=weights(found.weights),
        most=Ends(
            product=float((np.abs(found.query).max(0).astype(float) * np.abs(found.key).max(0)).max()),
            score=float(np.abs(found.scores).max()),
            scaled=float(np.abs(found.scaled).max()),
        ),
        first=deciding_query(maps, kind),
        why=f"opened here: {WHY[kind]}",
    )
