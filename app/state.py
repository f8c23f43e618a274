"""What a page shows, as a value, and its form in the address: pure, versioned, re-validated.

Indices are from 0 in a `View` and from 1 in the address, as on the page.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from analysis.record import Kind
from model.config import ModelConfig, StackConfig

VERSION = "1"
KINDS: tuple[Kind, ...] = ("cross", "encoder", "decoder")
BEAMS = (1, 16)
PENALTIES = (-2.0, 5.0)
EXAMPLES = {
    "en": "The dog that chased our cat is sleeping on the sofa.",
    "de": "Der Hund, der unsere Katze gejagt hat, schläft auf dem Sofa.",
    "fr": "Le chien qui a chassé notre chat dort sur le canapé.",
}

Side = Literal["source", "output"]
SIDES: tuple[Side, ...] = ("source", "output")

T = TypeVar("T")
N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Pin:
    """A token of the sentence strip that stays selected."""

    side: Side
    index: int


@dataclass(frozen=True, slots=True)
class View:
    """Everything that decides what a page about one sentence shows."""

    checkpoint: str
    source: str
    beam: int = 4
    length_penalty: float = 0.6
    kind: Kind = "cross"
    layer: int = 0
    head: int = 0
    pin: Pin | None = None


def default_view(checkpoint: str, config: ModelConfig, language: str) -> View:
    """Where a visitor starts: an example sentence, cross-attention of the last decoder layer.

    Args:
        language: the source language's code.
    """
    return View(checkpoint, EXAMPLES.get(language, EXAMPLES["en"]), layer=config.decoder.layers - 1)


def stack(config: ModelConfig, kind: Kind) -> StackConfig:
    """The side of the model that a kind of attention belongs to: its layers and heads."""
    return config.encoder if kind == "encoder" else config.decoder


def fit(view: View, config: ModelConfig) -> View:
    """The view with layer and head clamped to those the model has."""
    side = stack(config, view.kind)
    return replace(view, layer=_clamp(view.layer, 0, side.layers - 1), head=_clamp(view.head, 0, side.heads - 1))


def to_query(view: View) -> dict[str, str]:
    """The view as query parameters: complete, so that a link still says the same when a default changes."""
    query = {
        "v": VERSION,
        "checkpoint": view.checkpoint,
        "source": view.source,
        "beam": str(view.beam),
        "penalty": repr(view.length_penalty),
        "kind": view.kind,
        "layer": str(view.layer + 1),
        "head": str(view.head + 1),
    }
    return query if view.pin is None else query | {"pin": f"{view.pin.side}.{view.pin.index + 1}"}


def from_query(params: Mapping[str, str], default: View) -> View:
    """The view that query parameters ask for.

    What is missing or makes no sense is taken from `default`; numbers out of range are clamped. The checkpoint's name
    is taken as it stands, for only the workbench knows which there are. An address of another version is not read.
    """
    if params.get("v", VERSION) != VERSION:
        return default

    def read(name: str, parse: Callable[[str], T], otherwise: T) -> T:
        try:
            return parse(params[name])
        except (KeyError, ValueError):
            return otherwise

    return View(
        checkpoint=params.get("checkpoint") or default.checkpoint,
        source=one_line(params.get("source", default.source)),
        beam=_clamp(read("beam", int, default.beam), *BEAMS),
        length_penalty=_clamp(read("penalty", _finite, default.length_penalty), *PENALTIES),
        kind=read("kind", _kind, default.kind),
        layer=max(0, read("layer", int, default.layer + 1) - 1),
        head=max(0, read("head", int, default.head + 1) - 1),
        pin=read("pin", _pin, default.pin),
    )


def one_line(text: str) -> str:
    """A sentence is one line: line breaks become blanks."""
    return re.sub(r"[\r\n]+", " ", text)


def _clamp(value: N, least: N, most: N) -> N:
    return max(least, min(value, most))


def _finite(text: str) -> float:
    if not math.isfinite(value := float(text)):
        raise ValueError(text)
    return value


def _kind(text: str) -> Kind:
    return KINDS[KINDS.index(text)]  # type: ignore[arg-type]


def _pin(text: str) -> Pin:
    side, _, number = text.partition(".")
    if side not in SIDES or int(number) < 1:
        raise ValueError(text)
    return Pin(side, int(number) - 1)  # type: ignore[arg-type]
