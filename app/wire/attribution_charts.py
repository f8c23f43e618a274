"""Maps of attributions, of what layers add and of what patches change, as charts."""

from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.labels import labels
from headscope.app.wire.axes import NAMES
from headscope.app.wire.chart import Axis, Chart, Grid, alike, largest
from headscope.model.sites import AttentionKind, Side, Site

if TYPE_CHECKING:
    from headscope.analysis.attribution.attribution import Attribution
    from headscope.analysis.attribution.contributions import LayerContributions
    from headscope.analysis.attribution.patching import Patching
    from headscope.analysis.records.attention_maps import Tokens

CHANGE = "change, nats"
NORM = "norm"
OWN = "own stream"
PARTS = {
    "encoder": "self-attention",
    "decoder": "self-attention",
    "cross": "cross-attention",
    "encoder feed-forward": "feed-forward",
    "decoder feed-forward": "feed-forward",
}
"""What sub-layers are called within their layer."""


def patching_charts(found: "Patching") -> tuple[Chart, ...]:
    """The change by every patch, on one scale: of the stream at each place of both sides, and of every head."""
    given: tuple[tuple[Side, str, Tokens], ...] = (
        ("source", "Stream over the source", found.source),
        ("target", "Stream over what was written", found.prefix),
    )
    sides = [
        (title, tokens, [site for site in found.sites if _side(site) == side], found.grid(side))
        for side, title, tokens in given
    ]
    streams = [
        Chart(
            title,
            Axis("token", names=_names(tokens)),
            Axis("after", names=tuple(map(_site, sites)), down=True),
            Grid(grid, CHANGE, largest(grid)),
        )
        for title, tokens, sites, grid in sides
    ]
    heads = [
        Chart(
            NAMES[kind],
            Axis("head", names=_counted(grid.shape[1])),
            Axis("layer", names=_counted(grid.shape[0]), down=True),
            Grid(grid, CHANGE, largest(grid)),
        )
        for kind, grid in found.heads.items()
    ]
    return alike([*streams, *heads])


def attribution_charts(found: "Attribution", *, signed: bool, unit: str) -> tuple[Chart, ...]:
    """What each source token, and each that was written before, did for every target token, on one scale."""
    rows = Axis("for", names=_names(found.predicts), down=True)
    sides = zip(
        ("Source", "Already written"),
        (found.source, found.reads),
        found.reduced("sum" if signed else "norm"),
        strict=True,
    )
    what = f"{found.settings.method}{f', {unit}' if unit else ''}"
    return alike(
        [
            Chart(title, Axis("token", names=_names(tokens)), rows, Grid(grid, what, largest(grid), signed=signed))
            for title, tokens, grid in sides
        ]
    )


def contribution_charts(found: "LayerContributions", kind: AttentionKind) -> tuple[Chart, ...]:
    """The norms of one kind of attention, a map a layer, on one scale; in cross-attention with the row's own stream."""
    queries, keys = {
        "encoder": (found.source, found.source),
        "decoder": (found.reads, found.reads),
        "cross": (found.reads, found.source),
    }[kind]
    columns = (*_names(keys), *([OWN] if kind == "cross" else []))
    grids = found.layers(kind)
    if kind == "cross":
        grids = tuple(np.column_stack(both) for both in zip(grids, found.own, strict=True))
    return alike(
        [
            Chart(
                f"{NAMES[kind]}, layer {layer + 1}",
                Axis("adds", names=columns),
                Axis("to", names=_names(queries), down=True),
                Grid(grid, NORM, largest(grid), signed=False),
            )
            for layer, grid in enumerate(grids)
        ]
    )


def _site(site: Site | str) -> str:
    return "embeddings" if isinstance(site, str) else f"{site.layer + 1} {PARTS[site.kind]}"


def _side(site: Site | str) -> str:
    return site if isinstance(site, str) else site.queries


def _names(tokens: "Tokens") -> tuple[str, ...]:
    return tuple(map(str, labels(tokens)))


def _counted(count: int) -> tuple[str, ...]:
    return tuple(str(at + 1) for at in range(count))
