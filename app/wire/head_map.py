"""The map of one head: which token looks at which, with the weights of what is selected."""

from dataclasses import dataclass

import numpy as np

from headscope.analysis.records.attention_maps import Quantity
from headscope.analysis.records.labels import Label
from headscope.app.wire.axes import KEY_AXIS, MEANINGS, NAMES, Row, columns, query_axis, rows
from headscope.app.wire.encoding import weights
from headscope.app.wire.long import Overview, overview
from headscope.app.wire.shown import Shown
from headscope.model.sites import AttentionKind


@dataclass(frozen=True, slots=True)
class SetCell:
    """A cell whose weight was set."""

    row: int
    column: int
    before: float


@dataclass(frozen=True, slots=True)
class HeadMap:
    """What the component gets."""

    signature: str
    """Of all that the map shows."""
    tokens: str
    """Of its tokens alone."""
    kind: AttentionKind
    title: str
    name: str
    """For screen readers."""
    quantity: Quantity
    most: float
    """Where the colour scale ends."""
    query_axis: str
    key_axis: str
    rows: tuple[Row, ...]
    columns: tuple[Label, ...]
    weights: str
    """As `decode` takes them."""
    overview: Overview | None
    hidden: list[float] | None
    """What each row has on symbols that are hidden; then columns of special tokens are not weights of 0."""
    meaning: str
    """What the quantity is; blank where its name says it."""
    settable: tuple[tuple[int, int], ...]
    """Of each row, the first and the last key whose weight can be set; the last before the first: none. No rows: this
    map's weights cannot be set."""
    set: SetCell | None
    """The one that was, where this map has it."""


def head_map(
    shown: Shown,
    kind: AttentionKind,
    layer: int,
    head: int,
    *,
    title: str = "",
    settable: bool = False,
    set_cell: SetCell | None = None,
) -> HeadMap:
    """One head's map; layer and head count from 0.

    Args:
        title: what tells it from other maps of the same head; its place in the model else.
        settable: its weights can be set one by one.
        set_cell: the cell of this map whose weight was set.
    """
    maps = shown.maps
    array = maps.layers(kind)[layer][head]
    place = f"{NAMES[kind]}, layer {layer + 1}, head {head + 1}"
    called = f"{title}, {place}" if title else place
    height, width = array.shape
    return HeadMap(
        signature=f"{maps.fingerprint} {maps.quantity} {kind} {layer} {head} {shown.scale}",
        tokens=f"{maps.fingerprint} {kind}",
        kind=kind,
        title=title or place,
        name=f"{called}: {height} by {width} {maps.quantity}s. Arrow keys read them out.",
        quantity=maps.quantity,
        most=shown.most(kind, layer),
        query_axis=query_axis(kind),
        key_axis=KEY_AXIS,
        rows=rows(maps, kind),
        columns=columns(maps, kind),
        weights=weights(array),
        overview=overview(array[None]),
        hidden=shown.row_masses(kind, layer, head),
        meaning=MEANINGS[maps.quantity],
        settable=tuple(map(_settable, maps.allowed[kind])) if settable else (),
        set=set_cell,
    )


def _settable(allowed: np.ndarray) -> tuple[int, int]:
    """From what the mask allows a row; a single key has all the weight there is."""
    keys = allowed.nonzero()[0].tolist()
    return (keys[0], keys[-1]) if len(keys) > 1 else (0, -1)
