"""`headscope attend`: all attention of one sentence, as a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headscope.app.commands.console import say
from headscope.app.commands.groups import grouped
from headscope.app.commands.options import Checkpoint, Device, FigureWidth, Pieces, SearchOptions, load
from headscope.model.errors import HeadscopeError
from headscope.model.sites import AttentionKind, layers_of

if TYPE_CHECKING:
    from headscope.analysis.interventions.heads import HeadProbe
    from headscope.analysis.records.heads import Head
    from headscope.model.sites import Anatomy
    from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureOptions:
    """What a figure shows."""

    picture: Annotated[
        Literal["matrix", "lines", "wall", "what-if"],
        typer.Option(help="What a figure shows: a head as a map or as lines, all heads, or a head without others."),
    ] = "matrix"
    width: FigureWidth = "column"
    kind: Annotated[AttentionKind, typer.Option(help="The attention that a figure shows.")] = "cross"
    layer: Annotated[int | None, typer.Option(min=1, help="Its layer; the last unless given.")] = None
    head: Annotated[list[int] | None, typer.Option(min=1, help="Its head [1]; lines may show several.")] = None
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="HEAD", help="A head taken away in a what-if, as in cross.3.1; may be repeated."),
    ] = None
    instead: Annotated[
        Literal["zero", "uniform", "mean", "resampled"],
        typer.Option(
            help="What stands in their place: nothing, attention to all alike, their mean over the sentences of the "
            "checkpoint's gallery, or what they put out in the first other one."
        ),
    ] = "zero"

    def require(self, form: str, quantity: str) -> None:
        """Check that these go together with what is written.

        Raises:
            HeadscopeError: they do not.
        """
        from headscope.app.export.paper import FIGURES

        if len(self.head or ()) > 1 and self.picture != "lines":
            raise HeadscopeError(f"a {self.picture} shows one head: give --head once, or --picture lines")
        drawn = form in FIGURES and quantity == "weight"
        if bool(self.without) != (self.picture == "what-if") or (self.without and not drawn):
            raise HeadscopeError(
                "a what-if is a figure of weights: give --picture what-if, --without HEAD, and svg, png or pdf"
            )

    def heads(self, model: "Anatomy") -> "list[Head]":
        """Those that a figure shows.

        Raises:
            HeadscopeError: the model lacks one of them.
        """
        from headscope.analysis.records.heads import Head, require

        layer = self.layer or len(layers_of(model, self.kind))
        found = [Head(self.kind, layer - 1, each - 1) for each in self.head or [1]]
        require(model, found)
        return found

    def off(self) -> "tuple[Head, ...]":
        """Those that a what-if takes away.

        Raises:
            HeadscopeError: one is not spelled as a head.
        """
        from headscope.analysis.records.heads import read_head

        return tuple(map(read_head, self.without or ()))

    def probe(self, translator: "Translator", source: str) -> "HeadProbe":
        """What takes them away.

        Raises:
            HeadscopeError: the model lacks one of them, or there is no gallery with sentences that are needed.
        """
        from headscope.analysis.capture.pairs import sentence_pair
        from headscope.analysis.gallery.record import load_gallery
        from headscope.analysis.interventions.instead import taken_from
        from headscope.analysis.interventions.removal import removal

        pairs = ()
        if self.instead in ("mean", "resampled"):
            gallery = load_gallery(translator.card)
            known = gallery.pairs if gallery else ()
            pairs = taken_from(self.instead, known, source)
        return removal(translator, self.off(), self.instead, pairs=[sentence_pair(translator, *each) for each in pairs])


@grouped
def attend(
    checkpoint: Checkpoint,
    *,
    source: Annotated[str, typer.Option(metavar="TEXT", help="The sentence that is read.")],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Its ending says what is written: npz, json, csv, html, svg, png or pdf."),
    ],
    target: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Its translation; without one, the best that is found.")
    ] = None,
    quantity: Annotated[
        Literal["weight", "contribution"],
        typer.Option(help="Weights, or norms of what each token adds through each head (Kobayashi et al. 2020)."),
    ] = "weight",
    words: Annotated[bool, typer.Option("--words", help="Join pieces to words.")] = False,
    figure: FigureOptions,
    how: SearchOptions,
    pieces: Pieces = False,
    device: Device = "auto",
) -> None:
    """Write all attention of a sentence and its translation to a file.

    npz, json and csv hold every head of every layer; in npz each layer is one array [heads, queries, keys]. html shows
    them all in a browser, without a network. svg, png and pdf are figures for print. Row t of decoder and cross maps
    reads target piece t - 1 and predicts piece t. Layers, heads and rows are counted from 1.
    """
    from headscope.app.export.files import Export, Without, form_of, taken_away

    form = form_of(out)
    if not out.parent.is_dir():
        raise HeadscopeError(f"there is no folder {out.parent} for {out.name}: make it first")
    figure.require(form, quantity)
    settings = how.settings(checkpoint)

    from headscope.analysis.attribution.quantities import attention_of_pair
    from headscope.analysis.capture.pairs import sentence_pair
    from headscope.analysis.interventions.instead import INSTEAD
    from headscope.analysis.measures.warnings import warnings_of
    from headscope.app.export.paper import FIGURES
    from headscope.model.files import replace_file
    from headscope.model.search.settings import searched

    translator = load(checkpoint, device, pieces=pieces)
    first, *beside = figure.heads(translator.model)
    off = figure.off()
    probe = figure.probe(translator, source) if off else None
    pair = sentence_pair(translator, source, target, settings=settings)
    maps = attention_of_pair(translator, pair, quantity=quantity, joined=words)
    changed = attention_of_pair(translator, pair, joined=words, probe=probe) if off else None
    export = Export(
        maps,
        first,
        translator.card.name,
        searched(settings) if target is None else "translation given",
        translator.card.languages,
        picture=figure.picture,
        beside=tuple(each.head for each in beside),
        width=figure.width,
        without=Without(changed, taken_away(off, INSTEAD[figure.instead])) if changed else None,
    )
    replace_file(out, lambda fresh: fresh.write_bytes(export.write(form)))
    for warning in warnings_of(translator, pair):
        say(f"warning: {warning}")
    if form in FIGURES and (note := export.note):
        say(note)
