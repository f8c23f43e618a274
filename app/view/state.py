"""What a page shows, as a value, and its form in the address: pure, versioned, re-validated.

Indices are from 0 in a `View` and from 1 in the address, as on the page.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Annotated, Literal, TypeVar

from headscope.analysis.interventions.instead import INSTEAD, Instead
from headscope.analysis.measures.head_measures import MEASURES
from headscope.analysis.records.attention_maps import Quantity
from headscope.analysis.records.heads import Head, all_heads
from headscope.app.view import codec
from headscope.app.view.ablations_state import AblationsView
from headscope.app.view.codec import Part, Word, codecs, counted, flag, number, one_of, whole
from headscope.app.view.compare_state import CompareView
from headscope.app.view.head_state import HeadView
from headscope.app.view.positions_state import PositionsView
from headscope.app.view.runs_state import RunsView
from headscope.app.view.search_state import SearchView, read_path, spell_path
from headscope.app.view.spelling import read_heads, read_numbers, read_pin, spell_heads, spell_numbers, spell_pin
from headscope.app.view.training_state import TrainingView
from headscope.app.view.why_state import WhyView
from headscope.app.wire.shown import Scale
from headscope.app.wire.strip import Pin
from headscope.app.workbench.sentences import Entry
from headscope.model.config import ModelConfig
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import AttentionKind, heads_at, layers_of

VERSION = "1"
KINDS: tuple[AttentionKind, ...] = ("cross", "encoder", "decoder")
QUANTITIES: tuple[Quantity, ...] = ("weight", "contribution")
EXAMPLES = {
    "en": "The dog sleeps on the sofa because it is tired.",
    "de": "Der Hund schläft auf dem Sofa, weil er müde ist.",
    "fr": "Le chien dort sur le canapé parce qu'il est fatigué.",
}

REMOVAL = "removal"
"""Among the measures: the change of the log-probability without the head. It takes a pass for every head."""
FIRST_MEASURE = REMOVAL
STOPS = 5
"""Of the tour through the pages."""
MOST_LINES = 100
"""Sentences that are kept of a text."""
EXAMPLE_PIECES = 10
MOST_SAID, LONGEST_SAID = 6, 40
"""Parts of an address that are named where they are not understood, and characters of each."""

ENTRIES: tuple[Entry, ...] = ("text", "pieces")
Unit = Literal["pieces", "words"]
UNITS: tuple[Unit, ...] = ("pieces", "words")
SCALES: tuple[Scale, ...] = ("fixed", "largest")
Special = Literal["shown", "hidden", "renormalised"]
SPECIALS: tuple[Special, ...] = ("shown", "hidden", "renormalised")
Picture = Literal["matrix", "lines"]
PICTURES: tuple[Picture, ...] = ("matrix", "lines")
Order = Literal["index", "measure"]
ORDERS: tuple[Order, ...] = ("index", "measure")

PAPER = SearchSettings()
"""How the paper searches."""

_ONE_AXIS = {name for name in MEASURES if re.match("previous|same|next|distance|relative_distance", name)}
_ACROSS = {"diagonality", "coverage", "largest_coverage"}
_MEANINGLESS: Mapping[AttentionKind, set[str]] = {
    "cross": _ONE_AXIS | {"start"},
    "encoder": {"start", *_ACROSS},
    "decoder": {"next", "next_peak", "end", *_ACROSS},
}

N = TypeVar("N", int, float)


def lines(text: str) -> tuple[str, ...]:
    """The sentences of a text: one a line, no blank ones, and of many the first."""
    return tuple(line for line in re.split(r"[\r\n]+", text) if line.strip())[:MOST_LINES]


def one_a_line(text: str) -> str:
    """The text with its sentences alone."""
    return "\n".join(lines(text))


def _filled(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


@dataclass(frozen=True, slots=True)
class View:
    """Everything that decides what a page about one sentence shows: a field a line, with its form in the address."""

    checkpoint: Annotated[str, Word(_filled)]
    source: Annotated[str, Word(one_a_line)]
    """One sentence, or several to step through, one a line."""
    line: Annotated[int, counted(silent=True)] = field(default=0, kw_only=True)
    """Which of them is shown."""
    entry: Annotated[Entry, one_of(ENTRIES)] = field(default="text", kw_only=True)
    """What the source is: text, or pieces of the vocabulary with blanks between them."""
    beam: Annotated[int, whole(*PAGE_BEAMS)] = 4
    length_penalty: Annotated[float, number(*ALPHAS, name="penalty")] = 0.6
    kind: Annotated[AttentionKind, one_of(KINDS)] = "cross"
    layer: Annotated[int, counted()] = 0
    head: Annotated[int, counted()] = 0
    pin: Annotated[Pin | None, Word(read_pin, spell_pin)] = None
    target: Annotated[tuple[int, ...] | None, Word(read_path, spell_path)] = None
    """Pieces that stand in the place of the best translation; None: none do. They have ended, but for `cut`."""
    cut: Annotated[bool, flag(silent=True)] = field(default=False, kw_only=True)
    """The target was cut off before its end of sentence, which it is read without."""
    unit: Annotated[Unit, one_of(UNITS)] = "pieces"
    special: Annotated[Special, one_of(SPECIALS)] = "shown"
    scale: Annotated[Scale, one_of(SCALES)] = "fixed"
    """Where the colours of weights end: at 1, or at the largest weight in sight."""
    quantity: Annotated[Quantity, one_of(QUANTITIES)] = "weight"
    picture: Annotated[Picture, one_of(PICTURES)] = "matrix"
    beside: Annotated[tuple[int, ...], Word(read_numbers, spell_numbers)] = ()
    """Other heads of the layer that are drawn as lines too, sorted; each once."""
    measure: Annotated[str, one_of((*MEASURES, REMOVAL))] = FIRST_MEASURE
    order: Annotated[Order, one_of(ORDERS)] = "measure"
    off: Annotated[tuple[Head, ...] | None, Word(read_heads, spell_heads)] = None
    """Heads that are taken away, sorted; each once. None: those that tell most in the sentence, whichever it is."""
    instead: Annotated[Instead, one_of(tuple(INSTEAD))] = "zero"
    """What stands in their place."""
    tour: Annotated[int, whole(0, STOPS, silent=True)] = 0
    """The stop of the tour, counted from 1; 0: no tour is taken."""
    present: Annotated[bool, flag(silent=True)] = False
    """Presenter mode: large type, no controls."""
    search: Annotated[SearchView, Part(SearchView)] = field(default_factory=SearchView)
    detail: Annotated[HeadView, Part(HeadView)] = field(default_factory=HeadView)
    positions: Annotated[PositionsView, Part(PositionsView, prefix="p.")] = field(default_factory=PositionsView)
    why: Annotated[WhyView, Part(WhyView, prefix="why.")] = field(default_factory=WhyView)
    compare: Annotated[CompareView, Part(CompareView, prefix="c.")] = field(default_factory=CompareView)
    runs: Annotated[RunsView, Part(RunsView, prefix="run.")] = field(default_factory=RunsView)
    training: Annotated[TrainingView, Part(TrainingView, prefix="t.")] = field(default_factory=TrainingView)
    ablations: Annotated[AblationsView, Part(AblationsView, prefix="ablation.")] = field(default_factory=AblationsView)
    """What single pages show beyond that."""

    @property
    def sentence(self) -> str:
        """The one that is shown; blank where there is none."""
        return dict(enumerate(lines(self.source))).get(self.line, "")

    def anew(self) -> "View":
        """The same for another sentence, which has other targets; pages forget what means something in one alone."""
        parts = {name: getattr(self, name).anew() for name, it in codecs(View).items() if isinstance(it, Part)}
        return replace(self, target=None, cut=False, **parts)


def default_view(
    checkpoint: str,
    config: ModelConfig,
    language: str,
    *,
    search: SearchSettings = PAPER,
    symbols: Sequence[str] = (),
) -> View:
    """Where a visitor starts: an example sentence, and the first head of the last cross-attention.

    Args:
        language: the source language's code.
        search: how the checkpoint wants to be searched.
        symbols: the source pieces of a checkpoint without a text model, of which the first are the example.
    """
    last = len(layers_of(config, "cross")) - 1
    return View(
        checkpoint,
        " ".join(symbols[:EXAMPLE_PIECES]) or EXAMPLES.get(language, EXAMPLES["en"]),
        entry="pieces" if symbols else "text",
        beam=_clamp(search.beam, *PAGE_BEAMS),
        length_penalty=search.penalty.alpha,
        layer=last,
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


def first_new(before: str, after: str, line: int) -> int:
    """Which sentence to show of a text that was changed: the first that is another one, else the one that was shown."""
    pairs = zip_longest(lines(before), lines(after))
    return next((at for at, (was, now) in enumerate(pairs) if was != now and now is not None), line)


def measures_of(kind: AttentionKind) -> tuple[str, ...]:
    """The measures that mean something for heads of a kind, and the effect of their removal."""
    return (*(name for name in MEASURES if name not in _MEANINGLESS[kind]), REMOVAL)


def fit(view: View, config: ModelConfig, *, text: bool = True) -> View:
    """The view with a kind of attention and heads that the model has, and a measure that its kind of attention has.

    Args:
        text: the checkpoint has a model that cuts text into pieces; one without takes pieces alone.
    """
    known = set(all_heads(config))
    kinds = config.capabilities().kinds
    target = view.target if view.target and max(view.target) < config.target_vocabulary else None
    view = replace(view, kind=next((kind for kind in (view.kind, *KINDS) if kind in kinds), view.kind))
    layer = _clamp(view.layer, 0, len(layers_of(config, view.kind)) - 1)
    heads = heads_at(config, view.kind, layer)
    return replace(
        view,
        line=_clamp(view.line, 0, max(len(lines(view.source)) - 1, 0)),
        entry=view.entry if text else "pieces",
        unit=view.unit if text and view.entry == "text" else "pieces",
        layer=layer,
        head=_clamp(view.head, 0, heads - 1),
        beside=tuple(head for head in view.beside if head < heads),
        measure=view.measure if view.measure in measures_of(view.kind) else FIRST_MEASURE,
        off=None if view.off is None else tuple(head for head in view.off if head in known),
        target=target,
        cut=view.cut and target is not None,
    )


def to_query(view: View) -> dict[str, str]:
    """The view as query parameters: complete, so that a link still says the same when a default changes."""
    return {"v": VERSION} | codec.write(view)


def from_query(params: Mapping[str, str], default: View) -> View:
    """The view that query parameters ask for.

    What is missing or makes no sense is taken from `default`; numbers out of range are clamped. The checkpoint's name
    is taken as it stands, for only the workbench knows which there are. Of an address of another version is
    read what this one understands.
    """
    return codec.read(params, default)


def misread(params: Mapping[str, str], view: View) -> str:
    """What of an address is not shown as it asks, in one line; blank where all is.

    Args:
        view: what is shown.
    """
    written, wrong = to_query(view), codec.lost(params, View)
    for name, asked in codec.write(from_query(params, view)).items():
        if name in params and name not in wrong and asked != written.get(name):
            wrong[name] = written.get(name, "")
    if params.get("v", VERSION) != VERSION:
        wrong = {"v": VERSION} | wrong
    said = [f"{_cut(name)}={_cut(params[name])}{taken and f' (here {_cut(taken)})'}" for name, taken in wrong.items()]
    said += [_cut(name) for name in codec.unknown(params, View) if name != "v"]
    if not said:
        return ""
    more = f" and {len(said) - MOST_SAID} more" if len(said) > MOST_SAID else ""
    newer = "The link may be of a newer server. " if "v" in wrong else ""
    return f"Not understood in this address: {', '.join(said[:MOST_SAID])}{more}. {newer}The rest is used."


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SAID else f"{text[:LONGEST_SAID]}…"


def _clamp(value: N, least: N, most: N) -> N:
    return max(least, min(value, most))
