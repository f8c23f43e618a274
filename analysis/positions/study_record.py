"""What a corpus says of a checkpoint's positions: the numbers, beside those of `length_record`. No torch here."""

from headscope.analysis.experiments.runner import Frozen
from headscope.analysis.positions.length_record import Decoded, Mean
from headscope.analysis.positions.terms import Stack
from headscope.model.sites import AttentionKind, Side

REACH = 12
DISTANCES = tuple(range(-REACH, REACH + 1))
"""That are told apart, key minus query."""


class ChangeEffect(Frozen):
    """A corpus under one change of positions."""

    change: str
    loss: Mean | None
    """Nats a piece, without the end of sentence."""
    difference: Mean | None
    """From the unchanged model, sentence by sentence."""
    decoded: Decoded | None
    refused: str | None
    """Why the change cannot be made; None: it was."""


class HeadByDistance(Frozen):
    """Attention of a head by distance, key minus query; see `analysis.positions.heads`."""

    kind: AttentionKind
    layer: int
    head: int
    mean: tuple[float | None, ...]
    """Of a link; None where there is none."""
    deviation: tuple[float | None, ...]
    links: tuple[int, ...]


class ReadAt(Frozen):
    """How well position can be read off one layer; see `analysis.positions.probing`."""

    side: Side
    layer: int
    position: float
    control: float
    error: float


class HeadShares(Frozen):
    """What the scores of a first-layer head owe to each term, over the corpus; see `analysis.positions.terms`."""

    stack: Stack
    head: int
    share: tuple[tuple[float | None, ...], ...]
    """Part of the query by part of the key, as in `PARTS`; None for a head whose scores do not vary."""
    deviation: tuple[tuple[float | None, ...], ...]
    """Over the sentences."""
