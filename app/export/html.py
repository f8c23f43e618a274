"""A record as one file for the browser: every head of every kind, to be looked at without a network or a server."""

import base64
import hashlib
import re
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from headscope.analysis.records.heads import Head
from headscope.analysis.records.links import strongest
from headscope.app.components.bundle import asset, script
from headscope.app.components.head_map.head_map import HEAD_MAP
from headscope.app.components.lines.lines import LINES
from headscope.app.components.strip.strip import STRIP
from headscope.app.components.wall.wall import WALL
from headscope.app.export.done import Done
from headscope.app.wire.axes import KIND_LABELS
from headscope.app.wire.encoding import as_json, as_message, number
from headscope.app.wire.file import File, FileKind, First, Heads
from headscope.app.wire.head_map import head_map
from headscope.app.wire.lines import Lines, lines
from headscope.app.wire.shown import Shown
from headscope.app.wire.strip import Fact, strip
from headscope.app.wire.wall import wall
from headscope.model.progress import Progress
from headscope.model.sites import AttentionKind

if TYPE_CHECKING:
    from headscope.app.export.files import Export

PARTS = {"strip": STRIP, "wall": WALL, "matrix": HEAD_MAP, "lines": LINES}
"""The components in the file, by the name that its script has for them."""
FONTS = {"--st-font": "system-ui, sans-serif", "--st-code-font": 'ui-monospace, "DejaVu Sans Mono", monospace'}
KEPT_BITS = 16
NOTE = (
    "This file holds all weights of all heads, stored to four digits, and needs no network. "
    "Arrow keys walk tokens, tiles, cells and choices; Enter opens or pins, Escape lets go."
)


def html(export: "Export", progress: Progress | None = None) -> bytes:
    """The file. It shows all heads at first, and `export.head` when one is to be seen.

    What a sentence has in it stays text: it stands in the file as JSON without any character that means something in
    HTML, and becomes text nodes alone. No script or style runs but those that were written here.
    """
    code, style = script("export/html.js"), _theme() + asset("export/html.css")
    styles = {name: part.css for name, part in PARTS.items()}
    templates = "\n".join(
        f'<template id="{name}-parts"><style>{styles[name]}</style>{part.html}</template>'
        for name, part in PARTS.items()
    )
    filled = Template(asset("export/html.html")).substitute(
        policy=_policy([code], [style, *styles.values()]),
        style=style,
        templates=templates,
        content=embedded(content(export, progress)),
        script=code,
    )
    return filled.encode()


def content(export: "Export", progress: Progress | None = None) -> File:
    """What the file's script is given."""
    maps = export.maps
    done = Done(maps, progress, times=2)
    kinds: list[AttentionKind] = [kind for kind in KIND_LABELS if maps.layers(kind)]
    facts = [
        export.checkpoint,
        f"log p {number(float(maps.log_probs.sum()))} nats",
        f"{len(maps.source)} tokens in",
        f"{len(maps.predicts)} out",
        export.settings,
    ]
    return File(
        strip=strip(
            maps,
            pin=None,
            facts=[Fact(fact) for fact in facts],
            trained={"source": None, "output": None},
            languages=export.languages,
            link=None,
        ),
        names=tuple((kind, KIND_LABELS[kind]) for kind in kinds),
        kinds={kind: _kind(Shown(maps, export.hidden, export.scale), kind, done) for kind in kinds},
        first=First(*export.head),
        note=NOTE,
    )


def embedded(data: object) -> str:
    """JSON for a script element: ASCII, without the characters by which text could end the element or open another."""
    plain = as_json(data)
    return re.sub("[<>&]", lambda char: f"\\u{ord(char[0]):04x}", plain)


def _kind(shown: Shown, kind: AttentionKind, done: Done) -> FileKind:
    layers = shown.maps.layers(kind)
    every = [Head(kind, layer, head) for layer, array in enumerate(layers) for head in range(len(array))]
    arrays = np.concatenate(layers)
    return FileKind(
        layers=len(layers),
        heads=len(layers[0]),
        cells=arrays[0].size,
        weights=_packed(planes(arrays)),
        drawn=_packed(np.stack([strongest(array) for array in done.each(arrays)])),
        wall=wall(shown, kind, heads=every),
        matrix=_factored([_without(head_map(shown, *head), "weights") for head in every]),
        lines=_factored([_without_links(lines(shown, *head[:2], [head.head])) for head in done.each(every)]),
    )


def _without(message: object, left_out: str) -> dict[str, Any]:
    names = [field.name for field in fields(message) if field.name != left_out]  # pyright: ignore[reportArgumentType]
    return {name: getattr(message, name) for name in names}


def _without_links(message: Lines) -> dict[str, Any]:
    return _without(message, "heads") | {"heads": [_without(head, "links") for head in message.heads]}


def _factored(every: Sequence[dict[str, Any]]) -> Heads:
    """What all heads have alike, once, and what each has of its own."""
    first, *others = every
    alike = {name: value for name, value in first.items() if all(other[name] == value for other in others)}
    own = ({name: value for name, value in data.items() if name not in alike} for data in every)
    return Heads(as_message(alike), tuple(map(as_message, own)))


def rounded(array: np.ndarray) -> np.ndarray:
    """float32 with a third of its binary digits rounded away: within 2e-5 of each value, relatively, and smaller."""
    bits = np.ascontiguousarray(array, "<f4").view("<u4")
    dropped = 24 - KEPT_BITS
    return ((bits + (1 << dropped - 1)) >> dropped << dropped).view("<f4")


def planes(array: np.ndarray) -> np.ndarray:
    """[3, N]: the bytes of rounded float32 but for the lowest, which is 0: all of one place stand together, and deflate
    better and faster."""
    return rounded(array).reshape(-1, 1).view(np.uint8).T[1:]


def _packed(array: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), 1)).decode()


def _theme() -> str:
    """The pages' colours under the names that components know them by."""
    theme = tomllib.loads(asset(".streamlit/config.toml"))["theme"]
    shared = FONTS | _variables({"chartCategoricalColors": theme["chartCategoricalColors"]})
    dark = _rule(_variables(theme["dark"]))
    return f"{_rule(shared | _variables(theme['light']))}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n"


def _variables(theme: Mapping[str, Any]) -> dict[str, str]:
    def name(key: str) -> str:
        return "--st-" + re.sub("[A-Z]", lambda capital: f"-{capital[0].lower()}", key)

    plain = {key: ",".join(value) if isinstance(value, list) else value for key, value in theme.items()}
    return {name(key): value for key, value in plain.items() if isinstance(value, str)}


def _rule(variables: Mapping[str, str]) -> str:
    return ":root { " + " ".join(f"{name}: {value};" for name, value in variables.items()) + " }"


def _policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Nothing is loaded from anywhere, and nothing runs but these."""

    def hashes(texts: Sequence[str]) -> str:
        digests = (hashlib.sha256(part.encode()).digest() for part in texts)
        return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)

    return (
        f"default-src 'none'; script-src {hashes(scripts)}; style-src {hashes(styles)}; "
        "base-uri 'none'; form-action 'none'"
    )
