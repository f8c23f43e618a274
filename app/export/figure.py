"""Maps of attention as figures for print: of one head, of all heads, and what becomes of one without others."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Quantity
from headscope.analysis.records.difference import difference
from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import labels
from headscope.analysis.records.pooling import pooled
from headscope.app.export.paper import (
    GRID,
    QUANTITIES,
    RESOLUTION,
    WIDTHS,
    Form,
    Look,
    Paper,
    WidthName,
    colours,
    decimals,
    printed,
)
from headscope.app.wire.axes import KEY_AXIS, query_axis
from headscope.app.wire.shown import Scale, Shown
from headscope.model.progress import Progress
from headscope.model.sites import AttentionKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CELLS = 20_000
"""Cells of a figure that are drawn as outlines; with more, each map is an image."""
BAR = 0.08
"""Inches: height of the colour bar."""


def matrix_figure(
    maps: AttentionMaps,
    head: Head,
    *,
    caption: str = "",
    form: Form = "svg",
    width: WidthName = "column",
    scale: Scale = "fixed",
    progress: Progress | None = None,
) -> bytes:
    """The map of one head, as a file.

    Args:
        caption: what the reader must know: checkpoint, sentence, settings.
        scale: of colours, as in `Shown`.
        progress: told how many pictures are drawn.

    Raises:
        HeadscopeError: there is no such form or width.
        Cancelled: `progress` wants it to stop.
    """
    return printed(partial(draw_matrix, maps, head, Look(caption, width, scale)), form, progress)


def wall_figure(
    maps: AttentionMaps,
    kind: AttentionKind,
    *,
    caption: str = "",
    form: Form = "svg",
    width: WidthName = "column",
    scale: Scale = "fixed",
    progress: Progress | None = None,
) -> bytes:
    """The maps of all heads of a kind, a row a layer, as a file: otherwise as `matrix_figure`."""
    return printed(partial(draw_wall, maps, kind, Look(caption, width, scale)), form, progress)


def what_if_figure(
    before: AttentionMaps,
    after: AttentionMaps,
    head: Head,
    *,
    names: tuple[str, str] = ("With all heads", "Without"),
    caption: str = "",
    form: Form = "svg",
    width: WidthName = "column",
    scale: Scale = "fixed",
    progress: Progress | None = None,
) -> bytes:
    """The map of one head in two records of the same tokens, and the difference, as a file.

    Args:
        names: what the records are called. Otherwise as `matrix_figure`.

    Raises:
        HeadscopeError: as `difference`, too.
    """
    draw = partial(draw_what_if, before, after, head, Look(caption, width, scale), names=names)
    return printed(draw, form, progress)


def draw_matrix(maps: AttentionMaps, head: Head, look: Look) -> "Figure":
    """The figure of one head's map."""
    return _draw(maps, head.kind, [[_panel(maps, head, "", look.scale)]], look)


def draw_what_if(
    before: AttentionMaps,
    after: AttentionMaps,
    head: Head,
    look: Look,
    *,
    names: tuple[str, str] = ("With all heads", "Without"),
) -> "Figure":
    """The three maps: one below the other in a column of text, side by side where there is room."""
    shown = {names[0]: before, names[1]: after, "Difference": difference(after, before)}
    panels = [_panel(maps, head, title, look.scale) for title, maps in shown.items()]
    return _draw(before, head.kind, [[panel] for panel in panels] if look.width == "column" else [panels], look)


def draw_wall(maps: AttentionMaps, kind: AttentionKind, look: Look) -> "Figure":
    """The tiles of all heads, named layer.head as on the page, with one bar for all."""
    layers = maps.layers(kind)
    most = Shown(maps, None, look.scale).most(kind, *range(len(layers)))
    tiles = [
        [_Panel(array, f"{layer}.{head}", maps.quantity, most) for head, array in enumerate(arrays, 1)]
        for layer, arrays in enumerate(layers, 1)
    ]
    told = f"{look.caption} Each map is one head, named layer.head; rows: {query_axis(kind)}, columns: {KEY_AXIS}."
    return _draw(maps, kind, tiles, replace(look, caption=told.strip()), named=False)


def letters_of_tokens(width: WidthName) -> int:
    """That the names of one side's tokens may have."""
    return int(0.36 * WIDTHS[width].letters) if width in WIDTHS else 8


def tokens(maps: AttentionMaps, kind: AttentionKind, letters: int) -> tuple[list[str], list[str]]:
    """What rows and columns are called.

    Args:
        letters: that a name may have.
    """
    each = letters if kind == "encoder" else (letters - 3) // 2
    reads, keys = (
        [str(label) for label in labels(side, width=max(4, min(24, most)))]
        for side, most in ((maps.queries(kind), each), (maps.keys(kind), letters))
    )
    if kind == "encoder":
        return reads, keys
    predicts = [str(label) for label in labels(maps.predicts, width=max(4, min(24, each)))]
    return [f"{read} → {predict}" for read, predict in zip(reads, predicts, strict=True)], keys


@dataclass(frozen=True, slots=True)
class _Panel:
    """One map."""

    weights: np.ndarray
    title: str
    quantity: Quantity
    most: float


def _panel(maps: AttentionMaps, head: Head, title: str, scale: Scale) -> _Panel:
    weights = maps.layers(head.kind)[head.layer][head.head]
    return _Panel(weights, title, maps.quantity, Shown(maps, None, scale).most(*head[:2]))


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where maps stand, in inches."""

    left: float
    top: float
    cell: float
    gap: float
    across: float
    """From one map to the next."""
    down: float
    bar: float
    """Room below a map for its bar."""


def _draw(
    maps: AttentionMaps,
    kind: AttentionKind,
    panels: Sequence[Sequence[_Panel]],
    look: Look,
    *,
    named: bool = True,
) -> "Figure":
    """Maps of the same tokens in rows.

    Args:
        named: rows and columns have the names of their tokens, and every map its bar; else the last row has one.
    """
    letters = letters_of_tokens(look.width)
    queries, keys = tokens(maps, kind, letters) if named else ([], [])
    paper = Paper(look.width, [*queries, *keys], look.caption)
    rows, columns = panels[0][0].weights.shape
    place = _layout(paper, panels, queries, keys)
    block = math.ceil(1 / (place.cell * RESOLUTION))
    notes = [f"Each cell is the one of {block} × {block} that is farthest from 0."] if block > 1 else []
    step = paper.step(place.cell)
    if named and step > 1:
        notes.append(f"One token in {step} is named.")
    bars = 0 if named else place.bar
    drawn = paper.figure(place.top + place.down * len(panels) - place.gap + bars, notes)
    vectors = block == 1 and sum(len(row) for row in panels) * rows * columns <= MOST_CELLS
    for number, row in enumerate(panels):
        for at, panel in enumerate(row):
            x, y = place.left + at * place.across, place.top + number * place.down
            if panel.title:
                above = y if number else paper.width.line
                paper.write(drawn, panel.title, x, above - 0.5 * paper.width.line, running=True)
            axes = paper.axes(drawn, x, y, columns * place.cell, rows * place.cell)
            _map(axes, panel, block, place.cell if vectors else 0)
            if named:
                _bar(paper, drawn, panel, x, y + rows * place.cell, max(columns * place.cell, 1))
        y = place.top + number * place.down
        _names(paper, drawn, queries, place.left, y, place, kind)
    if keys:
        for at in range(len(panels[0])):
            _tops(paper, drawn, keys, place.left + at * place.across, place)
    if not named:
        y = place.top + place.down * len(panels) - place.gap
        _bar(paper, drawn, panels[0][0], place.left, y, min(2.0, paper.width.inches / 2))
    return drawn


def _layout(paper: Paper, panels: Sequence[Sequence[_Panel]], queries: Sequence[str], keys: Sequence[str]) -> _Layout:
    width, line = paper.width, paper.width.line
    rows, columns = panels[0][0].weights.shape
    many, named, titled = max(map(len, panels)), bool(keys), bool(panels[0][0].title)
    left = line * 1.6 + paper.widest(queries) if named else line / 4
    gap = line * (0.9 if named else 0.4)
    bar = BAR + 3.2 * line
    room = width.inches - left - line / 2 - gap * (many - 1)
    cell = min(1.5 * width.points / 72, room / many / columns, width.tall / len(panels) / rows)
    top = (paper.widest(keys[:: paper.step(cell)]) + line * 1.6 if named else 0) + (line if titled else 0)
    between = (bar if named else 0) + (line if titled else 0) + gap / 2
    return _Layout(left, top, cell, gap / 2, cell * columns + gap, cell * rows + between, bar)


def _map(axes: "Axes", panel: _Panel, block: int, cell: float) -> None:
    """Args: cell: inches of a cell that is drawn as an outline; 0: the map is an image."""
    scale = {"cmap": colours(panel.quantity), "vmin": -panel.most if panel.quantity == "difference" else 0}
    scale["vmax"] = panel.most or 1
    rows, columns = panel.weights.shape
    if cell:
        edges = {"edgecolors": GRID, "linewidth": 0.3} if cell * 72 >= 4 else {"edgecolors": "face", "linewidth": 0.1}
        axes.pcolormesh(panel.weights, **scale, **edges)
        axes.set_ylim(rows, 0)
    else:
        cells = pooled(panel.weights[None], block)[0]
        axes.imshow(cells, aspect="auto", interpolation="nearest", extent=(0, columns, rows, 0), **scale)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color(GRID)


def _names(
    paper: Paper, drawn: "Figure", queries: Sequence[str], x: float, y: float, place: _Layout, kind: AttentionKind
) -> None:
    if not queries:
        return
    step = paper.step(place.cell)
    for row in range(0, len(queries), step):
        text = paper.spelt(queries[row])
        paper.write(drawn, text, x - 0.3 * paper.width.line, y + (row + 0.5) * place.cell, ha="right")
    middle = y + len(queries) * place.cell / 2
    paper.write(drawn, query_axis(kind), 0.6 * paper.width.line, middle, running=True, middle=True, rotation=90)


def _tops(paper: Paper, drawn: "Figure", keys: Sequence[str], x: float, place: _Layout) -> None:
    step, y = paper.step(place.cell), place.top - 0.3 * paper.width.line
    for column in range(0, len(keys), step):
        middle = x + (column + 0.5) * place.cell
        paper.write(drawn, paper.spelt(keys[column]), middle, y, middle=True, rotation=90, va="bottom")
    above = place.top - paper.widest(keys[::step]) - paper.width.line
    paper.write(drawn, KEY_AXIS, x, above, running=True)


def _bar(paper: Paper, drawn: "Figure", panel: _Panel, x: float, y: float, length: float) -> None:
    line, least = paper.width.line, -panel.most if panel.quantity == "difference" else 0.0
    axes = paper.axes(drawn, x, y + line / 2, length, BAR)
    axes.imshow(np.linspace(0, 1, 256)[None], cmap=colours(panel.quantity), aspect="auto")
    axes.spines[:].set_color(GRID)
    ends = dict(zip(("left", "center", "right"), (0, length / 2, length), strict=True))
    numbers = decimals([least, (least + panel.most) / 2, panel.most])
    for (side, at), number in zip(ends.items(), numbers, strict=True):
        paper.write(drawn, number, x + at, y + BAR + 1.2 * line, running=True, ha=side)
    paper.write(drawn, QUANTITIES[panel.quantity], x, y + BAR + 2.2 * line, running=True)
