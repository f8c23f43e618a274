"""The map of one head as a figure for print: white background, vectors, a caption line. No browser is needed."""

import io
import textwrap
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import Label, labels
from headscope.app.export.fonts import complaint, families, spelt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONFIG = Path(__file__).resolve().parents[1] / ".streamlit" / "config.toml"
CELL, MARGIN, COLUMN = 0.17, 1.5, 3.35
"""Inches: side of a cell, room for labels, and the width of a column of text (85 mm), which no figure is below."""
RESOLUTION = 300
METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def figure(maps: AttentionMaps, head: Head, caption: str, form: Literal["svg", "png", "pdf"]) -> bytes:
    """One head's map as a file.

    Args:
        caption: what the reader must know: checkpoint, sentence, settings.
    """
    drawn = draw(maps, head, caption)
    file = io.BytesIO()
    drawn.savefig(file, format=form, dpi=RESOLUTION, bbox_inches="tight", metadata=METADATA[form])
    return file.getvalue()


def missing_letters(maps: AttentionMaps, head: Head, caption: str) -> str:
    """What is to be said of characters that no installed font has; nothing where there are none."""
    keys = [_plain(label) for label in labels(maps.keys(head.kind))]
    return complaint(families("".join([*_rows(maps, head), *keys, caption]))[1])


def draw(maps: AttentionMaps, head: Head, caption: str) -> "Figure":
    """The figure. Characters that no installed font has are written as codes, and the caption says so."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure

    weights = maps.layers(head.kind)[head.layer][head.head]
    queries, keys = _rows(maps, head), [_plain(label) for label in labels(maps.keys(head.kind))]
    fonts, missing = families("".join([*queries, *keys, caption]))
    stops = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]["light"]["chartSequentialColors"]

    rows, columns = weights.shape
    width = max(COLUMN, columns * CELL + 2 * MARGIN)
    drawn = Figure(figsize=(width, rows * CELL + MARGIN + 0.6), layout="constrained")
    axes = drawn.add_subplot()
    most = 1.0 if maps.quantity == "weight" else float(maps.layers(head.kind)[head.layer].max())
    colours = LinearSegmentedColormap.from_list("headscope", stops)
    image = axes.pcolormesh(weights, cmap=colours, vmin=0, vmax=most, edgecolors="#E3E4EC", linewidth=0.3)
    axes.set_aspect("equal")
    axes.invert_yaxis()
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_linewidth(0.3)
    _ticks(axes, "x", [spelt(text, missing) for text in keys], fonts)
    _ticks(axes, "y", [spelt(text, missing) for text in queries], fonts)
    bar = drawn.colorbar(image, ax=axes, shrink=min(1.0, 8 / rows), aspect=12, pad=0.02)
    bar.ax.tick_params(labelsize=6, length=2)
    bar.outline.set_linewidth(0.3)  # pyright: ignore[reportCallIssue, reportAttributeAccessIssue]
    note = complaint(missing)
    lines = [spelt(caption, missing)] + ([f"{note[0].upper()}{note[1:]}."] if note else [])
    wrapped = "\n".join(textwrap.fill(line, int(width / 0.062)) for line in lines)
    drawn.supxlabel(wrapped, fontsize=6, family=fonts, x=0.02, ha="left", parse_math=False)
    return drawn


def _rows(maps: AttentionMaps, head: Head) -> list[str]:
    reads = [_plain(label) for label in labels(maps.queries(head.kind))]
    if head.kind == "encoder":
        return reads
    predicts = [_plain(label) for label in labels(maps.predicts)]
    return [f"{read} → {predict}" for read, predict in zip(reads, predicts, strict=True)]


def _plain(label: Label) -> str:
    count = f" {label.part}/{label.parts}" if label.parts > 1 else ""
    return f"{label.mark}{label.text}{count}"


def _ticks(axes: "Axes", axis: Literal["x", "y"], texts: list[str], fonts: list[str]) -> None:
    """Labels in the middle of their cells, as they are: a dollar sign is no formula."""
    places = [index + 0.5 for index in range(len(texts))]
    style = {"fontsize": 7, "family": fonts, "parse_math": False}
    if axis == "x":
        axes.set_xticks(places, texts, rotation=90, **style)
    else:
        axes.set_yticks(places, texts, **style)
