"""`headscope attend`: all attention of one sentence, as a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from headscope.app.commands.console import say
from headscope.app.commands.options import Checkpoint, Device, LengthPenaltyAlpha, OwnBeam, Pieces, search_settings
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
    settings = search_settings(checkpoint, beam, length_penalty)

    from headscope.analysis.attribution.contributions import head_contributions
    from headscope.analysis.capture.attention import record
    from headscope.analysis.capture.pairs import sentence_pair
    from headscope.analysis.records.heads import Head, require
    from headscope.analysis.records.words import words as joined
    from headscope.model.files import replace_file
    from headscope.model.translator import load_translator

    translator = load_translator(checkpoint, device)
    if pieces:
        translator = translator.in_pieces()
    config = translator.model.config
    layers = (config.encoder if kind == "encoder" else config.decoder).layers
    chosen = Head(kind, (layer or layers) - 1, head - 1)
    require(config, [chosen])
    pair = sentence_pair(translator, source, target, settings=settings)
    maps = (
        record(translator, pair.source, pair.target) if quantity == "weight" else head_contributions(translator, pair)
    )
    searched = f"beam {settings.beam}, length penalty {settings.penalty}"
    found = searched if target is None else "translation given"
    export = Export(joined(maps) if words else maps, chosen, translator.card.name, found, translator.card.languages)
    replace_file(out, lambda fresh: fresh.write_bytes(FORMS[form](export)))
    if form in FIGURES and (note := export.note):
        say(note)
