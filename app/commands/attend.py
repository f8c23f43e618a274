"""`headscope attend`: all attention of one sentence, as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from headscope.app.commands.console import say
from headscope.app.commands.options import (
    Checkpoint,
    Device,
    FigureWidth,
    LengthPenaltyAlpha,
    OwnBeam,
    Pieces,
    SearchOptions,
    load,
)
from headscope.model.errors import HeadscopeError
from headscope.model.sites import AttentionKind

INSTEAD = {"zero": "nothing", "uniform": "uniform attention"}


def attend(
    checkpoint: Checkpoint,
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
    picture: Annotated[
        Literal["matrix", "lines", "wall", "what-if"],
        typer.Option(help="What a figure shows: a head as a map or as lines, all heads, or a head without others."),
    ] = "matrix",
    width: FigureWidth = "column",
    kind: Annotated[AttentionKind, typer.Option(help="The attention that a figure shows.")] = "cross",
    layer: Annotated[int | None, typer.Option(min=1, help="Its layer; the last unless given.")] = None,
    head: Annotated[list[int] | None, typer.Option(min=1, help="Its head [1]; lines may show several.")] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="HEAD", help="A head taken away in a what-if, as in cross.3.1; may be repeated."),
    ] = None,
    instead: Annotated[Literal["zero", "uniform"], typer.Option(help="What stands in their place.")] = "zero",
    beam: OwnBeam = None,
    length_penalty: LengthPenaltyAlpha = None,
    pieces: Pieces = False,
    device: Device = "auto",
) -> None:
    """Write all attention of a sentence and its translation to a file.

    npz, json and csv hold every head of every layer; in npz each layer is one array [heads, queries, keys]. html shows
    them all in a browser, without a network. svg, png and pdf are figures for print. Row t of decoder and cross maps
    reads target piece t - 1 and predicts piece t. Layers, heads and rows are counted from 1.
    """
    from headscope.app.export.files import FIGURES, Export, Without, form_of

    form, heads = form_of(out), head or [1]
    if not out.parent.is_dir():
        raise HeadscopeError(f"there is no folder {out.parent} for {out.name}: make it first")
    if len(heads) > 1 and picture != "lines":
        raise HeadscopeError(f"a {picture} shows one head: give --head once, or --picture lines")
    if bool(without) != (picture == "what-if") or (without and (form not in FIGURES or quantity != "weight")):
        raise HeadscopeError(
            "a what-if is a figure of weights: give --picture what-if, --without HEAD, and svg, png or pdf"
        )
    settings = SearchOptions(beam=beam, length_penalty=length_penalty).settings(checkpoint)

    from headscope.analysis.attribution.quantities import attention_of_pair
    from headscope.analysis.capture.pairs import sentence_pair
    from headscope.analysis.interventions.heads import UniformAttention, Zeroed
    from headscope.analysis.measures.warnings import warnings_of
    from headscope.analysis.records.heads import Head, read_head, require
    from headscope.model.files import replace_file
    from headscope.model.search.settings import searched
    from headscope.model.sites import layers_of

    translator = load(checkpoint, device, pieces=pieces)
    model = translator.model
    chosen = [Head(kind, (layer or len(layers_of(model, kind))) - 1, each - 1) for each in heads]
    require(model, chosen)
    off = tuple(map(read_head, without or ()))
    probe = {"zero": Zeroed, "uniform": UniformAttention}[instead](model, off)
    pair = sentence_pair(translator, source, target, settings=settings)
    maps = attention_of_pair(translator, pair, quantity=quantity, joined=words)
    changed = attention_of_pair(translator, pair, joined=words, probe=probe) if off else None
    export = Export(
        maps,
        chosen[0],
        translator.card.name,
        searched(settings) if target is None else "translation given",
        translator.card.languages,
        picture=picture,
        beside=tuple(each.head for each in chosen[1:]),
        width=width,
        without=Without(changed, off, INSTEAD[instead]) if changed else None,
    )
    replace_file(out, lambda fresh: fresh.write_bytes(export.write(form)))
    for warning in warnings_of(translator, pair):
        say(f"warning: {warning}")
    if form in FIGURES and (note := export.note):
        say(note)
