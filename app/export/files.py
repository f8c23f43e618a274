"""A record of attention as a file: arrays, tables and figures. What pages and command export is the same."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.heads import Head
from headscope.app.export.figure import figure, missing_letters
from headscope.model.errors import HeadscopeError
from headscope.model.sites import KIND_NAMES, KINDS, AttentionKind


@dataclass(frozen=True, slots=True)
class Export:
    """What is to be written."""

    maps: AttentionMaps
    head: Head
    """The one that figures show; tables and arrays hold all."""
    checkpoint: str
    settings: str
    """How the translation was found, in words."""
    languages: tuple[str, str]
    """Source and target, as codes."""
    hidden: dict[AttentionKind, tuple[np.ndarray, ...]] | None = None
    """[H, Q] a layer: what each row has on symbols that are hidden; None: none is."""

    @property
    def caption(self) -> str:
        """One line below a figure."""
        kind, layer, head = self.head
        return (
            f"Attention {self.maps.quantity}s, {KIND_NAMES[kind]}, layer {layer + 1}, head {head + 1}. "
            f"{self.checkpoint}; {self.settings}. Source: {self.maps.source.text} Target: {self.maps.predicts.text}"
            + ("" if self.maps.finished else " (cut off)")
        )

    @property
    def note(self) -> str:
        """What is to be said of a figure's letters, see `app.export.fonts.complaint`."""
        return missing_letters(self.maps, self.head, self.caption)


def npz(export: Export) -> bytes:
    """NumPy: arrays `encoder_1`, `cross_3`, … of [heads, queries, keys], one a layer; pieces; log-probabilities;
    whether the translation is `finished`, or was cut off."""
    maps = export.maps
    arrays = {f"{kind}_{layer}": array for kind in KINDS for layer, array in enumerate(maps.layers(kind), 1)}
    pieces = {role: np.array([token.piece for token in tokens.tokens]) for role, tokens in _sides(maps).items()}
    file = io.BytesIO()
    about = {"log_probs": maps.log_probs, "finished": np.array(maps.finished)}
    np.savez_compressed(file, allow_pickle=False, **about, **arrays, **pieces)
    return file.getvalue()


def as_json(export: Export) -> bytes:
    """JSON: the same, with characters of every piece and how it was made."""
    maps = export.maps

    def side(tokens: Tokens) -> dict[str, Any]:
        return {"text": tokens.text, "tokens": [{"piece": t.piece, "id": t.id, "span": t.span} for t in tokens.tokens]}

    content = {
        "checkpoint": export.checkpoint,
        "settings": export.settings,
        "quantity": maps.quantity,
        **{role: side(tokens) for role, tokens in _sides(maps).items()},
        "finished": maps.finished,
        "log_probs": _numbers(maps.log_probs),
        **{kind: [_numbers(layer) for layer in maps.layers(kind)] for kind in KINDS},
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def csv(export: Export) -> bytes:
    """CSV: every cell as a row, as `AttentionMaps.to_pandas` gives them (indices from 0)."""
    return export.maps.to_pandas().to_csv(index=False, lineterminator="\n").encode()


def html(export: Export) -> bytes:
    """HTML: every head, to be looked at in a browser without a network."""
    from headscope.app.export.html import html

    return html(export)


FORMS: Mapping[str, Callable[[Export], bytes]] = {
    "npz": npz,
    "json": as_json,
    "csv": csv,
    "html": html,
    "svg": lambda export: figure(export.maps, export.head, export.caption, "svg"),
    "png": lambda export: figure(export.maps, export.head, export.caption, "png"),
    "pdf": lambda export: figure(export.maps, export.head, export.caption, "pdf"),
}
"""What can be written, by the ending of the file's name."""
FIGURES = ("svg", "png", "pdf")


def form_of(path: Path) -> str:
    """The form that a file's name asks for.

    Raises:
        HeadscopeError: there is none of that ending.
    """
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMS:
        raise HeadscopeError(f"'{path.name}' ends in none of .{', .'.join(FORMS)}: choose one of these")
    return ending


def _sides(maps: AttentionMaps) -> dict[str, Tokens]:
    return {"source": maps.source, "reads": maps.reads, "predicts": maps.predicts}


def _numbers(array: np.ndarray) -> list:
    return array.astype(float).round(7).tolist()
