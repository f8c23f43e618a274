"""The line view: two columns of tokens, and the strongest links of one or several heads between them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headscope.analysis.records.attention_maps import Quantity
from headscope.analysis.records.labels import Label
from headscope.analysis.records.links import SHARE, strongest
from headscope.app.wire.axes import KEY_AXIS, MEANINGS, NAMES, Row, columns, query_axis, rows
from headscope.app.wire.long import Overview, overview
from headscope.app.wire.shown import Shown
from headscope.model.sites import AttentionKind


@dataclass(frozen=True, slots=True)
class Links:
    """The links of a head that are drawn, one at each place of the three lists."""

    rows: list[int]
    columns: list[int]
    weights: list[float]


@dataclass(frozen=True, slots=True)
class LinkedHead:
    """One head."""

    head: int
    links: Links
    hidden: list[float] | None
    """What each row has on symbols that are hidden."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What the component gets."""

    signature: str
    kind: AttentionKind
    title: str
    quantity: Quantity
    most: float
    """The weight at which a line is thickest."""
    query_axis: str
    key_axis: str
    rows: tuple[Row, ...]
    columns: tuple[Label, ...]
    overview: Overview | None
    heads: tuple[LinkedHead, ...]
    choices: Sequence[int]
    """Heads that can be drawn or left out; none: it is settled."""
    drawn: str
    """How many links there are, in words."""
    meaning: str
    """What the quantity is; blank where its name says it."""


def lines(
    shown: Shown,
    kind: AttentionKind,
    layer: int,
    heads: Sequence[int],
    *,
    share: float = SHARE,
    choices: Sequence[int] = (),
) -> Lines:
    """The links of some heads of a layer; layer and heads count from 0.

    Args:
        share: of each row's mass, how much the links that are drawn make up.
        choices: heads that the visitor may draw or leave out.
    """
    maps, arrays = shown.maps, shown.maps.layers(kind)[layer]
    found = tuple(LinkedHead(head, _links(arrays[head], share), shown.row_masses(kind, layer, head)) for head in heads)
    count, size = sum(len(head.links.rows) for head in found), arrays[0].size
    return Lines(
        signature=f"{maps.fingerprint} {maps.quantity} {kind} {layer} {heads} {share} {shown.scale}",
        kind=kind,
        title=f"{NAMES[kind]}, layer {layer + 1}",
        quantity=maps.quantity,
        most=shown.most(kind, layer),
        query_axis=query_axis(kind),
        key_axis=KEY_AXIS,
        rows=rows(maps, kind),
        columns=columns(maps, kind),
        overview=overview(arrays[list(heads)]),
        heads=found,
        choices=choices,
        drawn=(
            f"Drawn are the strongest links of each row that make up {share:.0%} of its {maps.quantity}: "
            f"{count:,} of {size * len(heads):,}."
        ),
        meaning=MEANINGS[maps.quantity],
    )


def _links(weights: np.ndarray, share: float) -> Links:
    rows, columns = np.nonzero(strongest(weights, share))
    values = weights[rows, columns].astype(float)
    tens = 10 ** (3 - np.floor(np.log10(np.abs(values))))
    return Links(rows.tolist(), columns.tolist(), (np.rint(values * tens) / tens).tolist())
