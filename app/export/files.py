"""A record of attention as a file: arrays, tables and figures. What pages and command export is the same.

Whatever is written or shown counts layers, heads and tokens from 1; Python's own objects count from 0.
"""

import csv as tables
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.heads import Head
from headscope.analysis.records.labels import cut, labels, running
from headscope.analysis.records.links import SHARE
from headscope.app.export.done import Done
from headscope.app.export.figure import matrix_figure, wall_figure, what_if_figure
from headscope.app.export.fonts import complaint, families
from headscope.app.export.lines_figure import lines_figure
from headscope.app.export.paper import FIGURES, Form, WidthName
from headscope.app.wire.shown import Scale
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent
from headscope.model.sites import KIND_NAMES, KINDS, AttentionKind

F = TypeVar("F", bound=str)

Picture = Literal["matrix", "lines", "wall", "what-if"]
MOST_CELLS: Mapping[str, int] = MappingProxyType({"json": 4_000_000, "csv": 4_000_000, "html": 16_000_000})
"""Weights that a form holds at most: in memory each takes some hundred bytes while a text is written."""
AT_ONCE: Mapping[str, int] = MappingProxyType({"npz": 2_000_000, "json": 300_000, "csv": 300_000, "html": 300_000})
"""Weights that a form holds within about half a second."""
DRAWN_AT_ONCE = 5_000
"""Cells of a figure, likewise."""
CAPTION_LETTERS = 300
"""Of a sentence in a caption."""


@dataclass(frozen=True, slots=True)
class Without:
    """What becomes of a record."""

    maps: AttentionMaps
    """Of the same tokens."""
    how: str
    """What was changed, in words, as in "with all heads and without cross 1.1"."""
    names: tuple[str, str] = ("With all heads", "Without")
    """What the record, and what became of it, are called."""


def taken_away(heads: Sequence[Head], instead: str) -> str:
    """How a record came about in which some heads are off.

    Args:
        instead: what stood in their place.
    """
    off = ", ".join(map(str, heads))
    return f"with all heads and without {off} ({instead} in their place)"


@dataclass(frozen=True, slots=True)
class Export:
    """What is to be written."""

    maps: AttentionMaps
    head: Head
    """The one that a figure shows, unless it shows all; tables and arrays hold all."""
    checkpoint: str
    settings: str
    """How the translation was found, in words."""
    languages: tuple[str, str]
    """Source and target, as codes."""
    hidden: dict[AttentionKind, tuple[np.ndarray, ...]] | None = None
    """[H, Q] a layer: what each row has on symbols that are hidden; None: none is."""
    picture: Picture = "matrix"
    """What a figure shows."""
    beside: tuple[int, ...] = ()
    """Other heads of the layer, of which lines are drawn too."""
    share: float = SHARE
    """Of each row, how much lines make up."""
    scale: Scale = "fixed"
    width: WidthName = "column"
    without: Without | None = None
    """What a what-if compares with."""

    @property
    def caption(self) -> str:
        """What stands below a figure."""
        kind, layer, head = self.head
        place = f"layer {layer + 1}, head {head + 1}"
        if self.picture == "wall":
            place = "all heads"
        elif self.picture == "lines" and self.beside:
            place = f"layer {layer + 1}, heads {', '.join(str(each + 1) for each in self.heads)}"
        elif self.without:
            place += f", {self.without.how}"
        source, target = (cut(running(side.text), CAPTION_LETTERS) for side in (self.maps.source, self.maps.predicts))
        return (
            f"Attention {self.maps.quantity}s, {KIND_NAMES[kind]}, {place}. "
            f"{self.checkpoint}; {self.settings}. Source: {source} Target: {target}"
            + ("" if self.maps.finished else " (cut off)")
        )

    @property
    def heads(self) -> tuple[int, ...]:
        """Those that lines are drawn of."""
        return tuple(sorted({self.head.head, *self.beside}))

    @property
    def note(self) -> str:
        """What is to be said of a figure's letters, see `app.export.fonts.complaint`."""
        shown = (label.full for tokens in _sides(self.maps).values() for label in labels(tokens))
        return complaint(families("".join([*shown, self.caption]))[1])

    @property
    def cells(self) -> int:
        """Weights of all heads."""
        return sum(layer.size for kind in self.maps.maps for layer in self.maps.layers(kind))

    def takes_long(self, form: str) -> bool:
        """Whether whoever waits for it should see how far it is."""
        if form in AT_ONCE:
            return self.cells > AT_ONCE[form]
        layers = self.maps.layers(self.head.kind)
        each = layers[self.head.layer][0].size
        panels = {"wall": sum(map(len, layers)), "lines": len(self.heads), "what-if": 3}.get(self.picture, 1)
        return panels * each > DRAWN_AT_ONCE

    def refusal(self, form: str) -> str:
        """Why it cannot be written in a form; nothing where it can."""
        cells = self.cells
        if cells <= MOST_CELLS.get(form, cells):
            return ""
        return f"there are {cells:,} weights, and {form} holds {MOST_CELLS[form]:,}: choose npz, which holds any number"

    def write(self, form: str, *, progress: Progress | None = None) -> bytes:
        """The file.

        Args:
            progress: told how many heads are written, or pictures drawn.

        Raises:
            HeadscopeError: there is too much for that form; a figure as its function.
            Cancelled: `progress` wants it to stop.
        """
        if refusal := self.refusal(form):
            raise HeadscopeError(refusal)
        return FORMS[form](self, progress)


def npz(export: Export, progress: Progress | None = None) -> bytes:
    """NumPy: arrays `encoder_1`, `cross_3`, … of [heads, queries, keys], one a layer; pieces; log-probabilities;
    whether the translation is `finished`, or was cut off."""
    maps = export.maps
    arrays = {f"{kind}_{layer}": array for kind in maps.maps for layer, array in enumerate(maps.layers(kind), 1)}
    pieces = {role: np.array([token.piece for token in tokens.tokens]) for role, tokens in _sides(maps).items()}
    about = {"log_probs": maps.log_probs, "finished": np.array(maps.finished)}
    file, every = io.BytesIO(), about | arrays | pieces
    # As numpy.savez_compressed does, array by array.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for done, (name, array) in enumerate(every.items()):
            (progress or Silent()).update(done, len(every))
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
    return file.getvalue()


def as_json(export: Export, progress: Progress | None = None) -> bytes:
    """JSON: the same, with characters of every piece and how it was made."""
    maps = export.maps
    done = Done(maps, progress)

    def side(tokens: Tokens) -> dict[str, Any]:
        return {"text": tokens.text, "tokens": [{"piece": t.piece, "id": t.id, "span": t.span} for t in tokens.tokens]}

    content = {
        "checkpoint": export.checkpoint,
        "settings": export.settings,
        "quantity": maps.quantity,
        **{role: side(tokens) for role, tokens in _sides(maps).items()},
        "finished": maps.finished,
        "log_probs": _numbers(maps.log_probs),
    }
    parts = [json.dumps(content, allow_nan=False)[:-1]]
    for kind in maps.maps:
        layers = (
            f"[{', '.join(json.dumps(_numbers(weights), allow_nan=False) for weights in done.each(layer))}]"
            for layer in maps.layers(kind)
        )
        parts.append(f'"{kind}": [{", ".join(layers)}]')
    return f"{', '.join(parts)}}}".encode()


def csv(export: Export, progress: Progress | None = None) -> bytes:
    """CSV: every cell as a row, as `AttentionMaps.to_pandas` gives them, but counted from 1: by the rule of
    `app.export.table.counted_csv`, with what all heads of a kind have alike spelled once."""
    maps = export.maps
    done = Done(maps, progress)
    parts = [f"kind,layer,head,query_index,key_index,query,key,{maps.quantity},counted_from\n"]
    for kind in KINDS:
        if not maps.layers(kind):
            continue
        sides = (maps.queries(kind), maps.keys(kind))
        queries, keys = ([_cell(running(token.piece)) for token in tokens.tokens] for tokens in sides)
        places = [
            f"{row},{column},{query},{key}"
            for row, query in enumerate(queries, 1)
            for column, key in enumerate(keys, 1)
        ]
        for layer, heads in enumerate(maps.layers(kind), 1):
            for head, weights in enumerate(done.each(heads), 1):
                start = f"{kind},{layer},{head}"
                texts = ["" if text == "nan" else text for text in weights.ravel().astype(str).tolist()]
                parts.append("".join(f"{start},{p},{w},1\n" for p, w in zip(places, texts, strict=True)))
    return "".join(parts).encode()


def html(export: Export, progress: Progress | None = None) -> bytes:
    """HTML: every head, to be looked at in a browser without a network."""
    from headscope.app.export.html import html

    return html(export, progress)


def figure(export: Export, progress: Progress | None = None, *, form: Form) -> bytes:
    """The picture that is asked for."""
    maps, head, without = export.maps, export.head, export.without
    if export.picture == "wall":
        draw = partial(wall_figure, maps, head.kind)
    elif export.picture == "lines":
        draw = partial(lines_figure, maps, [head._replace(head=each) for each in export.heads], share=export.share)
    elif export.picture == "what-if" and without:
        draw = partial(what_if_figure, maps, without.maps, head, names=without.names)
    else:
        draw = partial(matrix_figure, maps, head)
    return draw(caption=export.caption, form=form, width=export.width, scale=export.scale, progress=progress)


FORMS: Mapping[str, Callable[..., bytes]] = MappingProxyType(
    {
        "npz": npz,
        "json": as_json,
        "csv": csv,
        "html": html,
        **{form: partial(figure, form=form) for form in FIGURES},
    }
)
"""What can be written, by the ending of the file's name."""


def form_of(path: Path) -> str:
    """The form that a file's name asks for.

    Raises:
        HeadscopeError: there is none of that ending.
    """
    return ending_of(path, tuple(FORMS))


def ending_of(path: Path, known: tuple[F, ...]) -> F:
    """The one of some endings that a file's name has.

    Raises:
        HeadscopeError: it has none of them.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in known:
        raise HeadscopeError(f"'{path.name}' ends in none of .{', .'.join(known)}: choose one of these")
    return known[known.index(ending)]


def _sides(maps: AttentionMaps) -> dict[str, Tokens]:
    return {"source": maps.source, "reads": maps.reads, "predicts": maps.predicts}


def _cell(text: str) -> str:
    """A text as a cell of a table."""
    line = io.StringIO()
    tables.writer(line, lineterminator="").writerow([text, ""])
    return line.getvalue()[:-1]


def _numbers(array: np.ndarray) -> list:
    """As many digits as float32 has, counted from the first that is not 0: 3e-8 stays 3e-8."""
    values = array.astype(float)
    size = np.where((values != 0) & np.isfinite(values), np.abs(values), 1)
    scale = 10.0 ** (6 - np.floor(np.log10(size)))
    return (np.round(values * scale) / scale).tolist()
