"""The wall: every head of one kind of attention as a small map, to be opened or taken away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from headscope.analysis.records.attention_maps import Quantity
from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import Label
from headscope.analysis.records.pooling import pooled
from headscope.app.wire.axes import MEANINGS, NAMES, Row, columns, rows
from headscope.app.wire.encoding import mosaic, number, weights
from headscope.app.wire.long import block_of
from headscope.app.wire.shown import Shown
from headscope.model.sites import AttentionKind

NO_VALUES: Mapping[Head, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tile:
    """One head."""

    layer: int
    head: int
    place: int
    """Of its map in the mosaic."""
    value: float | None
    """Of the measure, to four digits; None: it has none."""
    share: float
    """Of the largest size of a value: how strongly the caption is coloured, and in which colour by its sign."""
    name: str
    """With its numbers, in words."""
    current: bool


@dataclass(frozen=True, slots=True)
class Layer:
    """Tiles that stand together."""

    name: str
    """Empty: they are of all layers."""
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """Of a map, in tokens."""

    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Tokens:
    """Of all maps."""

    rows: tuple[Row, ...]
    columns: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Wall:
    """What the component gets."""

    signature: str
    """Of the maps."""
    layout: str
    """Of the tiles, but for what is off."""
    kind: AttentionKind
    layers: tuple[Layer, ...]
    rows: int
    """Cells of a tile; fewer than its tokens where the sentence is long."""
    columns: int
    tokens: Size
    labels: Tokens
    block: int
    """The side of the blocks of tokens that are one cell."""
    quantity: Quantity
    most: float
    """Where the colour scale ends."""
    maps: str
    """Every cell of every head as a share of `most`, as `levels` takes them; of differences, from −most to most."""
    hidden: str | None
    """What each row of every head has on hidden symbols, as `decode` takes them."""
    key: str
    """How to read a tile."""
    small: bool
    """It is a strip of small tiles below another picture."""
    toggles: bool
    """Tiles are switches."""
    off: tuple[int, ...]
    """Places of those that are off."""


def wall(
    shown: Shown,
    kind: AttentionKind,
    *,
    heads: Sequence[Head],
    measure: str = "",
    values: Mapping[Head, float] = NO_VALUES,
    means: Mapping[Head, float] = NO_VALUES,
    by_layer: bool = True,
    current: Head | None = None,
    off: Sequence[Head] | None = None,
    key: str = "",
) -> Wall:
    """The wall of a record.

    Args:
        heads: of that kind, in the order in which they are to stand.
        measure: what `values` are, in words; a value that is missing or NaN is not written.
        means: of the measure over a corpus.
        by_layer: one row of tiles a layer, named.
        current: the head that other pages show.
        off: heads that are taken away; given, tiles are switches.
        key: given, the wall is a strip of small tiles, which this explains.
    """
    maps, layers = shown.maps, shown.maps.layers(kind)
    stood = sorted(heads)
    hidden = None if shown.hidden is None else np.stack([shown.hidden[kind][at.layer][at.head] for at in stood])
    most = shown.most(kind, *range(len(layers)))
    size = Size(*layers[0].shape[1:])
    block = block_of(size.rows, size.columns)
    cells = pooled(np.stack([layers[at.layer][at.head] for at in stood]), block)
    places = {head: place for place, head in enumerate(stood)}
    largest = max((abs(value) for value in values.values() if not np.isnan(value)), default=0.0)
    tiles = [
        _tile(head, places[head], measure, values.get(head, np.nan), means.get(head, np.nan), largest, current)
        for head in heads
    ]
    names = [f"Layer {layer + 1}" for layer in range(len(layers))] if by_layer else [""]
    return Wall(
        signature=f"{maps.fingerprint} {kind} {shown.scale} {stood if key else 'all'}",
        layout=f"{maps.fingerprint} {kind} {measure} {[tile.place for tile in tiles]} {current} {off is None}",
        kind=kind,
        layers=tuple(
            Layer(name, tuple(tile for tile in tiles if not by_layer or tile.layer == layer))
            for layer, name in enumerate(names)
        ),
        rows=cells.shape[1],
        columns=cells.shape[2],
        tokens=size,
        labels=Tokens(rows(maps, kind), columns(maps, kind)),
        block=block,
        quantity=maps.quantity,
        most=most,
        maps=mosaic(_shares(cells, most, signed=maps.quantity == "difference")),
        hidden=None if hidden is None else weights(hidden),
        key=key or _key(kind, block, maps.quantity, measure, hidden) + (_colour(measure, values) if largest else ""),
        small=bool(key),
        toggles=off is not None,
        off=tuple(places[head] for head in off or () if head in places),
    )


def _shares(cells: np.ndarray, most: float, *, signed: bool) -> np.ndarray:
    """From 0 to 1."""
    found = cells / most if most else cells
    return (found + 1) / 2 if signed else found


def _tile(
    head: Head, place: int, measure: str, value: float, mean: float, largest: float, current: Head | None
) -> Tile:
    name = f"Layer {head.layer + 1}, head {head.head + 1}"
    if not np.isnan(value):
        name += f": {measure} {number(value)}" + ("" if np.isnan(mean) else f", corpus mean {number(mean)}")
    shown = None if np.isnan(value) else float(f"{value:.4g}")
    share = round(value / largest, 4) if shown and largest else 0.0
    return Tile(head.layer, head.head, place, shown, share, name, head == current)


def _colour(measure: str, values: Mapping[Head, float]) -> str:
    below = ", orange below 0" if any(value < 0 for value in values.values()) else ""
    return f" The stronger the colour below a map, the larger its {measure}: violet above 0{below}."


def _key(kind: AttentionKind, block: int, quantity: Quantity, measure: str, hidden: np.ndarray | None) -> str:
    key = (
        f"Each tile is one head of {NAMES[kind].lower()}, named layer.head; a row is a token that looks, a column one "
        "that is looked at."
    )
    if measure:
        key += f" The number is its {measure}."
    if MEANINGS[quantity]:
        key += f" {MEANINGS[quantity]}"
    if block > 1:
        key += f" The sentence is long: each cell is the largest of {block} × {block} {quantity}s."
    if hidden is None:
        return key
    mean = f"their {quantity}s sum to {hidden.mean():.2f} a row on average"
    return f"{key} Start and end symbols are hidden, hatched: {mean}."
