"""The line view as a figure for print: two columns of tokens, and the strongest links of heads between them."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.analysis.records.links import SHARE, strongest
from headscope.app.export.figure import letters_of_tokens, tokens
from headscope.app.export.paper import QUANTITIES, Form, Look, Paper, WidthName, decimals, head_colours, printed
from headscope.app.wire.axes import KEY_AXIS, query_axis
from headscope.app.wire.shown import Scale, Shown
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINES = 5_000
"""Links that are drawn as outlines; more are an image."""
SAMPLES = (0.25, 0.5, 1.0)
"""Of the thickest line, to read the others by."""


def lines_figure(
    maps: AttentionMaps,
    heads: Sequence[Head],
    *,
    caption: str = "",
    form: Form = "svg",
    width: WidthName = "column",
    scale: Scale = "fixed",
    share: float = SHARE,
    progress: Progress | None = None,
) -> bytes:
    """The strongest links of some heads of one layer, as a file.

    Args:
        caption: what the reader must know: checkpoint, sentence, settings.
        scale: of thickness, as in `Shown`.
        share: of each row's total, how much the links that are drawn make up.
        progress: told how many pictures are drawn, the legend's among them.

    Raises:
        HeadscopeError: there is no such form or width, the heads are not of one layer, or the record is a difference.
        Cancelled: `progress` wants it to stop.
    """
    return printed(partial(draw_lines, maps, heads, Look(caption, width, scale), share), form, progress)


def draw_lines(maps: AttentionMaps, heads: Sequence[Head], look: Look, share: float) -> "Figure":
    """The figure. Rows stand on the left, what they look at on the right."""
    if len({head[:2] for head in heads}) != 1:
        raise HeadscopeError("lines are of one or several heads of one layer: choose such heads")
    if maps.quantity == "difference":
        raise HeadscopeError("a difference has no strongest links: show it as a matrix")
    kind, layer = heads[0][:2]
    queries, keys = tokens(maps, kind, letters_of_tokens(look.width))
    told = f"Drawn are the strongest links of each row that make up {share:.0%} of its {maps.quantity}."
    paper = Paper(look.width, [*queries, *keys], f"{look.caption} {told}".strip())
    line, most = paper.width.line, Shown(maps, None, look.scale).most(kind, layer)
    pitch = min(line, paper.width.tall / max(len(queries), len(keys)))
    step, top = paper.step(pitch), 1.4 * line
    left = line / 4 + paper.widest(queries[::step]) + line / 3
    right = paper.width.inches - line / 2 - paper.widest(keys[::step]) - line / 3
    height = pitch * max(len(queries), len(keys))
    notes = [f"One token in {step} is named."] if step > 1 else []
    drawn = paper.figure(top + height + (3 if len(heads) > 1 else 2) * line, notes)
    paper.write(drawn, query_axis(kind), left - line / 3, line / 2, running=True, ha="right")
    paper.write(drawn, KEY_AXIS, right + line / 3, line / 2, running=True)
    for names, x, side in ((queries, left - line / 3, "right"), (keys, right + line / 3, "left")):
        for at in range(0, len(names), step):
            paper.write(drawn, paper.spelt(names[at]), x, top + (at + 0.5) * pitch, ha=side)
    _links(paper, drawn, maps, heads, most, (left, top, right - left, height), pitch, share)
    _legend(paper, drawn, maps, heads, most, top + height + line)
    return drawn


def _links(
    paper: Paper,
    drawn: "Figure",
    maps: AttentionMaps,
    heads: Sequence[Head],
    most: float,
    box: tuple[float, float, float, float],
    pitch: float,
    share: float,
) -> None:
    from matplotlib.collections import LineCollection

    axes = paper.axes(drawn, *box)
    axes.axis("off")
    axes.set_xlim(0, 1)
    axes.set_ylim(box[3] / pitch, 0)
    for head in heads:
        weights = maps.layers(head.kind)[head.layer][head.head]
        rows, columns = np.nonzero(strongest(weights, share))
        shares = weights[rows, columns] / (most or 1)
        ends = np.stack(
            [np.stack([np.zeros(len(rows)), rows + 0.5], 1), np.stack([np.ones(len(rows)), columns + 0.5], 1)], 1
        )
        links = LineCollection(list(ends), linewidths=shares * _thickest(paper), colors=_colour(head), alpha=0.8)
        links.set_rasterized(len(rows) > MOST_LINES)
        axes.add_collection(links)


def _legend(paper: Paper, drawn: "Figure", maps: AttentionMaps, heads: Sequence[Head], most: float, y: float) -> None:
    """How thick a line is for which number; and the colours, where there are several."""
    width, line = paper.width.inches, paper.width.line
    x = line / 4
    numbers = decimals([share * most for share in SAMPLES])
    paper.write(drawn, QUANTITIES[maps.quantity], x, y, running=True)
    x += paper.widest([QUANTITIES[maps.quantity]], running=True) + line
    for share, number in zip(SAMPLES, numbers, strict=True):
        axes = paper.axes(drawn, x, y - line / 2, 1.5 * line, line)
        axes.axis("off")
        axes.plot([0, 1], [0, 0], color=_colour(heads[0]), linewidth=share * _thickest(paper), alpha=0.8)
        paper.write(drawn, number, x + 1.7 * line, y, running=True)
        x += 1.7 * line + paper.widest([number], running=True) + line
    if len(heads) == 1:
        return
    each = min((width - line / 2) / len(heads), 5 * line)
    for place, head in enumerate(heads):
        name = f"head {head.head + 1}" if each > 4 * line else f"{head.head + 1}"
        paper.write(
            drawn, f"— {name}", line / 4 + place * each, y + line, running=True, color=_colour(head), weight="bold"
        )


def _colour(head: Head) -> str:
    found = head_colours()
    return found[head.head % len(found)]


def _thickest(paper: Paper) -> float:
    """Points."""
    return 0.3 * paper.width.points
