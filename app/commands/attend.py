"""`headscope attend`: all attention of one sentence, as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from headscope.app.commands.console import say
from headscope.app.commands.options import (
    Checkpoint,
    Device,
    LengthPenaltyAlpha,
    OwnBeam,
    Pieces,
    SearchOptions,
    load,
)
from headscope.model.errors import HeadscopeError


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
    kind: Annotated[
        Literal["cross", "encoder", "decoder"], typer.Option(help="The attention that a figure shows.")
    ] = "cross",
    layer: Annotated[int | None, typer.Option(min=1, help="Its layer; the last unless given.")] = None,
    head: Annotated[int, typer.Option(min=1, help="Its head.")] = 1,
    beam: OwnBeam = None,
    length_penalty: LengthPenaltyAlpha = None,
    pieces: Pieces = False,
    device: Device = "auto",
) -> None:
    """Write all attention of a sentence and its translation to a file.

    npz, json and csv hold every head of every layer; in npz each layer is one array [heads, queries, keys]. html shows
    them all in a browser, without a network. svg, png and pdf show the map of one head. Row t of decoder and cross maps
    reads target piece t - 1 and predicts piece t.
    """
    from headscope.app.export.files import FIGURES, FORMS, Export, form_of

    form = form_of(out)
    if not out.parent.is_dir():
        raise HeadscopeError(f"there is no folder {out.parent} for {out.name}: make it first")
    settings = SearchOptions(beam=beam, length_penalty=length_penalty).settings(checkpoint)

    from headscope.analysis.attribution.quantities import attention_of_pair
    from headscope.analysis.capture.pairs import sentence_pair
    from headscope.analysis.measures.warnings import warnings_of
    from headscope.analysis.records.heads import Head, require
    from headscope.model.files import replace_file
    from headscope.model.search.settings import searched
    from headscope.model.sites import layers_of

    translator = load(checkpoint, device, pieces=pieces)
    model = translator.model
    chosen = Head(kind, (layer or len(layers_of(model, kind))) - 1, head - 1)
    require(model, [chosen])
    pair = sentence_pair(translator, source, target, settings=settings)
    maps = attention_of_pair(translator, pair, quantity=quantity, joined=words)
    found = searched(settings) if target is None else "translation given"
    export = Export(maps, chosen, translator.card.name, found, translator.card.languages)
    replace_file(out, lambda fresh: fresh.write_bytes(FORMS[form](export)))
    for warning in warnings_of(translator, pair):
        say(f"warning: {warning}")
    if form in FIGURES and (note := export.note):
        say(note)
