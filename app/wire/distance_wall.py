"""The wall of heads over a corpus: each tile is how much its head looks how far, a column a distance."""

from collections.abc import Sequence

import numpy as np

from headscope.analysis.positions.study_record import HeadByDistance
from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import Label
from headscope.app.wire.axes import Row
from headscope.app.wire.encoding import mosaic
from headscope.app.wire.wall import Layer, Size, Tile, Tokens, Wall
from headscope.model.sites import AttentionKind

MEASURE = "largest mean weight"
KEY = (
    "Each tile is one head, named layer.head; a column is a distance, key minus query, from {} on the left to {} on "
    "the right; its colour is the mean weight of all links of that distance. The number is the largest of them."
)


def distance_wall(
    name: str,
    heads: Sequence[HeadByDistance],
    distances: Sequence[int],
    kind: AttentionKind,
    *,
    most: float,
    current: Head,
) -> Wall:
    """The heads of a kind.

    Args:
        name: of the checkpoint.
        most: where the colours end.
        current: the head whose line is drawn.
    """
    own = [each for each in heads if each.kind == kind]
    means = np.array([[np.nan if value is None else value for value in each.mean] for each in own])
    known = [row[~np.isnan(row)] for row in means]
    peaks = [float(row.max()) if len(row) else None for row in known]
    tiles = [
        Tile(
            each.layer,
            each.head,
            place,
            None if peak is None else float(f"{peak:.4g}"),
            round(peak / most, 4) if peak else 0.0,
            f"{name}, layer {each.layer + 1}, head {each.head + 1}"
            + (
                ""
                if peak is None
                else f": {MEASURE} {peak:.3f}, at distance {_signed(distances[int(np.nanargmax(row))])}"
            ),
            Head(kind, each.layer, each.head) == current,
        )
        for place, (each, row, peak) in enumerate(zip(own, means, peaks, strict=True))
    ]
    layers = sorted({each.layer for each in own})
    return Wall(
        signature=f"{name} {kind} distances {most}",
        layout=f"{name} {kind} distances {current}",
        kind=kind,
        layers=tuple(Layer(f"Layer {at + 1}", tuple(tile for tile in tiles if tile.layer == at)) for at in layers),
        rows=1,
        columns=len(distances),
        tokens=Size(0, 0),
        labels=Tokens((Row(_label("a token"), None),), tuple(_label(_distance(each)) for each in distances)),
        block=1,
        quantity="weight",
        most=most,
        maps=mosaic(np.nan_to_num(means) / most),
        hidden=None,
        key=KEY.format(_signed(distances[0]), _signed(distances[-1])),
        small=False,
        toggles=False,
        off=(),
    )


def largest_mean(*of: Sequence[HeadByDistance], kind: AttentionKind) -> float:
    """The largest mean weight of heads of a kind in some checkpoints, for one scale of them all; 1: there is none."""
    return max(
        (value for heads in of for each in heads if each.kind == kind for value in each.mean if value), default=1.0
    )


def _distance(distance: int) -> str:
    return f"distance {_signed(distance)}"


def _signed(distance: int) -> str:
    return f"{distance:+d}".replace("-", "−")


def _label(text: str) -> Label:
    return Label("", text, text)
