"""`headscope gallery`: worked examples of what the heads of a checkpoint do."""

from typing import TYPE_CHECKING, Annotated

import typer

from headscope.app.commands.console import progress_bar, say
from headscope.app.commands.corpus import Datas, Parts, Sentences, gold_of, load_both
from headscope.app.commands.options import Checkpoint, Device, SkipBadLines
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.gallery.record import Gallery
    from headscope.analysis.measures.alignment import Gold


def gallery(
    checkpoint: Checkpoint,
    data: Datas,
    part: Parts = None,
    sentences: Sentences = None,
    gold: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=TEXT,LINKS",
            help="Words aligned by people: lines of `source ||| target`, and lines of links as 1-1 2p3.",
        ),
    ] = None,
    gold_swapped: Annotated[
        bool, typer.Option("--gold-swapped", help="The aligned words are of the other direction, target to source.")
    ] = False,
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
) -> None:
    """Find worked examples of what heads do, and keep them in a checkpoint's folder as gallery.json.

    Every question is put to every head, in the model's own translations of text that it was not trained on: all parts
    of the data but train and dev, unless some are named. The examples are printed as the page shows them.
    """
    name, aligned = _read_gold(gold, swap=gold_swapped)
    from headscope.analysis.gallery.find import find_examples
    from headscope.analysis.gallery.record import GALLERY, save_gallery

    translator, texts = load_both(checkpoint, data, device, parts=part, most=sentences, skip_bad_lines=skip_bad_lines)
    with progress_bar("sentences") as progress:
        found = find_examples(translator, texts, gold=aligned, gold_name=name, progress=progress)
    save_gallery(found, translator.card.path)
    _show(found)
    say(f"{len(found.examples)} examples: {translator.card.path / GALLERY}")


def _read_gold(gold: str | None, *, swap: bool) -> "tuple[str, list[Gold]]":
    """The gold set that an option names, and its name; nothing where it was not given."""
    if gold is None:
        return "", []
    name, _, files = gold.partition("=")
    if not name:
        raise HeadscopeError(f"--gold {gold}: give a name and two files, as NAME=TEXT,LINKS")
    return name, gold_of(gold, files, "a name and two files, as NAME=TEXT,LINKS", swap=swap)


def _show(found: "Gallery") -> None:
    from headscope.analysis.gallery.wording import wording

    for example in found.examples:
        words = wording(example, found.gold)
        print(words.title, *words.finding, words.basis, sep="\n")
        for said, shown in ((words.sentence, example.sentence), (words.counter, example.counter)):
            print(f"  {shown.source}  →  {shown.target}  [{said}]" if shown else f"  [{said}]")
        print()
