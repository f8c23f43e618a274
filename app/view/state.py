"""What a page shows, as a value, and its form in the address: pure, versioned, re-validated.

Indices are from 0 in a `View` and from 1 in the address, as on the page.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from headscope.analysis.measures.head_measures import MEASURES
from headscope.analysis.records.attention_maps import Kind, Quantity
from headscope.analysis.records.heads import Head, all_heads
from headscope.app.view import search_state
from headscope.app.view.search_state import SearchView
from headscope.model.config import ModelConfig, StackConfig
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS
from headscope.model.search.settings import SearchSettings

VERSION = "1"
KINDS: tuple[Kind, ...] = ("cross", "encoder", "decoder")
QUANTITIES: tuple[Quantity, ...] = ("weight", "contribution")
EXAMPLES = {
    "en": "The dog sleeps on the sofa because it is tired.",
    "de": "Der Hund schläft auf dem Sofa, weil er müde ist.",
    "fr": "Le chien dort sur le canapé parce qu'il est fatigué.",
}

REMOVAL = "removal"
"""Among the measures: the change of the log-probability without the head. It takes a pass for every head."""
FIRST_MEASURE = "confidence"
MOST_OFF = 1000
EXAMPLE_PIECES = 10

Entry = Literal["text", "pieces"]
ENTRIES: tuple[Entry, ...] = ("text", "pieces")
Side = Literal["source", "output"]
SIDES: tuple[Side, ...] = ("source", "output")
Unit = Literal["pieces", "words"]
UNITS: tuple[Unit, ...] = ("pieces", "words")
Scale = Literal["fixed", "largest"]
SCALES: tuple[Scale, ...] = ("fixed", "largest")
Special = Literal["shown", "hidden", "renormalised"]
SPECIALS: tuple[Special, ...] = ("shown", "hidden", "renormalised")
Picture = Literal["matrix", "lines"]
PICTURES: tuple[Picture, ...] = ("matrix", "lines")
Order = Literal["index", "measure"]
ORDERS: tuple[Order, ...] = ("index", "measure")
Instead = Literal["zero", "uniform"]
INSTEADS: tuple[Instead, ...] = ("zero", "uniform")

PAPER = SearchSettings()
"""How the paper searches."""

_ONE_AXIS = {name for name in MEASURES if re.match("previous|same|next|distance|relative_distance", name)}
_MEANINGLESS: Mapping[Kind, set[str]] = {
    "cross": _ONE_AXIS | {"start"},
    "encoder": {"start", "diagonality", "coverage"},
    "decoder": {"next", "next_peak", "end", "diagonality", "coverage"},
}

T = TypeVar("T")
N = TypeVar("N", int, float)
C = TypeVar("C", bound=str)


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
    entry: Entry = field(default="text", kw_only=True)
    """What the source is: text, or pieces of the vocabulary with blanks between them."""
    beam: int = 4
    length_penalty: float = 0.6
    kind: Kind = "cross"
    layer: int = 0
    head: int = 0
    pin: Pin | None = None
    target: tuple[int, ...] | None = None
    """Pieces that stand in the place of the best translation, without the end of sentence; None: none do."""
    unit: Unit = "pieces"
    special: Special = "shown"
    scale: Scale = "fixed"
    """Where the colours of weights end: at 1, or at the largest weight in sight."""
    quantity: Quantity = "weight"
    picture: Picture = "matrix"
    beside: tuple[int, ...] = ()
    """Other heads of the layer that are drawn as lines too, sorted; each once."""
    measure: str = FIRST_MEASURE
    order: Order = "index"
    off: tuple[Head, ...] = ()
    """Heads that are taken away, sorted; each once."""
    instead: Instead = "zero"
    """What stands in their place: nothing, or attention to all keys alike."""
    present: bool = False
    """Presenter mode: large type, no controls."""
    search: SearchView = field(default_factory=SearchView)
    """What the search page shows beyond that."""


def default_view(
    checkpoint: str,
    config: ModelConfig,
    language: str,
    *,
    search: SearchSettings = PAPER,
    symbols: Sequence[str] = (),
) -> View:
    """Where a visitor starts: an example sentence, and the first head of the last cross-attention, seen and taken away.

    Args:
        language: the source language's code.
        search: how the checkpoint wants to be searched.
        symbols: the source pieces of a checkpoint without a text model, of which the first are the example.
    """
    last = config.decoder.layers - 1
    return View(
        checkpoint,
        " ".join(symbols[:EXAMPLE_PIECES]) or EXAMPLES.get(language, EXAMPLES["en"]),
        entry="pieces" if symbols else "text",
        beam=_clamp(search.beam, *PAGE_BEAMS),
        length_penalty=search.penalty.alpha,
        layer=last,
        off=(Head("cross", last, 0),),
    )


def carried(view: View, old: View, new: View) -> View:
    """The view, when it goes over to another checkpoint.

    What stands as the old checkpoint's visitors start with it stands as the new one's do; what was chosen or typed
    stays, but for a text where the new one takes pieces alone.

    Args:
        old: where visitors start with the checkpoint it comes from.
        new: where they start with the one it goes to.
    """
    untyped = view.source == old.source or (view.entry, new.entry) == ("text", "pieces")
    return replace(
        view,
        source=new.source if untyped else view.source,
        entry=new.entry if untyped else view.entry,
        beam=new.beam if view.beam == old.beam else view.beam,
        length_penalty=new.length_penalty if view.length_penalty == old.length_penalty else view.length_penalty,
    )


def stack(config: ModelConfig, kind: Kind) -> StackConfig:
    """The side of the model that a kind of attention belongs to: its layers and heads."""
    return config.encoder if kind == "encoder" else config.decoder


def measures_of(kind: Kind) -> tuple[str, ...]:
    """The measures that mean something for heads of a kind, and the effect of their removal."""
    return (*(name for name in MEASURES if name not in _MEANINGLESS[kind]), REMOVAL)


def fit(view: View, config: ModelConfig, *, text: bool = True) -> View:
    """The view with heads that the model has, and a measure that its kind of attention has.

    Args:
        text: the checkpoint has a model that cuts text into pieces; one without takes pieces alone.
    """
    side, known = stack(config, view.kind), set(all_heads(config))
    return replace(
        view,
        entry=view.entry if text else "pieces",
        unit=view.unit if text and view.entry == "text" else "pieces",
        layer=_clamp(view.layer, 0, side.layers - 1),
        head=_clamp(view.head, 0, side.heads - 1),
        beside=tuple(head for head in view.beside if head < side.heads),
        measure=view.measure if view.measure in measures_of(view.kind) else FIRST_MEASURE,
        off=tuple(head for head in view.off if head in known),
        target=view.target if max(view.target or (0,)) < config.target_vocabulary else None,
    )


def to_query(view: View) -> dict[str, str]:
    """The view as query parameters: complete, so that a link still says the same when a default changes."""
    query = {
        "v": VERSION,
        "checkpoint": view.checkpoint,
        "source": view.source,
        "entry": view.entry,
        "beam": str(view.beam),
        "penalty": repr(view.length_penalty),
        "kind": view.kind,
        "layer": str(view.layer + 1),
        "head": str(view.head + 1),
        "unit": view.unit,
        "special": view.special,
        "scale": view.scale,
        "quantity": view.quantity,
        "picture": view.picture,
        "measure": view.measure,
        "order": view.order,
        "off": ",".join(f"{kind}.{layer + 1}.{head + 1}" for kind, layer, head in view.off),
        "instead": view.instead,
    }
    if view.beside:
        query["beside"] = ",".join(str(head + 1) for head in view.beside)
    if view.present:
        query["present"] = "1"
    if view.target is not None:
        query["target"] = search_state.spell_path(view.target)
    query |= search_state.to_query(view.search)
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
        entry=read("entry", _one_of(ENTRIES), default.entry),
        beam=_clamp(read("beam", int, default.beam), *PAGE_BEAMS),
        length_penalty=_clamp(read("penalty", _finite, default.length_penalty), *ALPHAS),
        kind=read("kind", _one_of(KINDS), default.kind),
        layer=max(0, read("layer", int, default.layer + 1) - 1),
        head=max(0, read("head", int, default.head + 1) - 1),
        pin=read("pin", _pin, default.pin),
        target=read("target", search_state.read_path, default.target),
        unit=read("unit", _one_of(UNITS), default.unit),
        special=read("special", _one_of(SPECIALS), default.special),
        scale=read("scale", _one_of(SCALES), default.scale),
        quantity=read("quantity", _one_of(QUANTITIES), default.quantity),
        picture=read("picture", _one_of(PICTURES), default.picture),
        beside=read("beside", _numbers, default.beside),
        measure=read("measure", _one_of((*MEASURES, REMOVAL)), default.measure),
        order=read("order", _one_of(ORDERS), default.order),
        off=read("off", _heads, default.off),
        instead=read("instead", _one_of(INSTEADS), default.instead),
        present=params.get("present") == "1",
        search=search_state.from_query(params),
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


def _one_of(choices: Sequence[C]) -> Callable[[str], C]:
    return lambda text: choices[choices.index(text)]  # pyright: ignore[reportArgumentType]


def _numbers(text: str) -> tuple[int, ...]:
    numbers = {int(number) - 1 for number in text.split(",", MOST_OFF)[:MOST_OFF]}
    if min(numbers) < 0:
        raise ValueError(text)
    return tuple(sorted(numbers))


def _heads(text: str) -> tuple[Head, ...]:
    heads = set()
    for name in text and text.split(",", MOST_OFF)[:MOST_OFF]:
        kind, layer, head = name.split(".")
        if kind not in KINDS or int(layer) < 1 or int(head) < 1:
            raise ValueError(name)
        heads.add(Head(kind, int(layer) - 1, int(head) - 1))  # type: ignore[arg-type]
    return tuple(sorted(heads))


def _pin(text: str) -> Pin:
    side, _, number = text.partition(".")
    if side not in SIDES or int(number) < 1:
        raise ValueError(text)
    return Pin(side, int(number) - 1)  # type: ignore[arg-type]
