"""The exported file: every head of every kind of attention, with what is alike written once."""

from dataclasses import dataclass
from typing import Any

from headscope.app.wire.strip import Strip
from headscope.app.wire.wall import Wall
from headscope.model.sites import AttentionKind


@dataclass(frozen=True, slots=True)
class Heads:
    """Messages of one component, one a head: fields that all have alike, and those that each has of its own."""

    alike: dict[str, Any]
    own: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class FileKind:
    """One kind of attention."""

    layers: int
    heads: int
    """Of a layer."""
    cells: int
    """Of a map."""
    weights: str
    """Of every cell of every head, as the script's `floats` takes them: three planes of bytes, deflated, in base64."""
    drawn: str
    """Whether a cell is drawn as a line: a byte each, deflated, in base64."""
    wall: Wall
    matrix: Heads
    """`HeadMap` without weights."""
    lines: Heads
    """`Lines` without links."""


@dataclass(frozen=True, slots=True)
class First:
    """The head to begin with."""

    kind: AttentionKind
    layer: int
    head: int


@dataclass(frozen=True, slots=True)
class File:
    """What the file's script is given."""

    strip: Strip
    names: tuple[tuple[AttentionKind, str], ...]
    """What the kinds are called, in order."""
    kinds: dict[AttentionKind, FileKind]
    first: First
    note: str
