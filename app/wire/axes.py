"""What the rows and columns of a map are."""

from dataclasses import dataclass

from headscope.analysis.records.attention_maps import AttentionMaps, Quantity
from headscope.analysis.records.labels import Label, labels
from headscope.model.sites import AttentionKind

KIND_LABELS: dict[AttentionKind, str] = {"cross": "Cross", "encoder": "Encoder", "decoder": "Decoder"}
"""In the order in which they are to choose from."""
NAMES: dict[AttentionKind, str] = {
    "cross": "Cross-attention",
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
}
KEY_AXIS = "looks at"
MEANINGS: dict[Quantity, str] = {
    "weight": "",
    "contribution": "Contribution: the length of the vector that a head adds to a row from a token, which is the "
    "weight times the token's value, through the output projection.",
    "difference": "",
}
"""What a quantity is, in a sentence, where its name does not say it."""


@dataclass(frozen=True, slots=True)
class Row:
    """The tokens of one row."""

    reads: Label
    predicts: Label | None
    """None in the encoder, where nothing is predicted."""


def rows(maps: AttentionMaps, kind: AttentionKind) -> tuple[Row, ...]:
    """The tokens of every row."""
    reads = labels(maps.queries(kind))
    predicts = [None] * len(reads) if kind == "encoder" else labels(maps.predicts)
    return tuple(Row(*tokens) for tokens in zip(reads, predicts, strict=True))


def columns(maps: AttentionMaps, kind: AttentionKind) -> tuple[Label, ...]:
    """The token of every column."""
    return labels(maps.keys(kind))


def query_axis(kind: AttentionKind) -> str:
    """What a row is, in words."""
    return "token" if kind == "encoder" else "reads → predicts"
