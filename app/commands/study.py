"""`headscope study`: what a corpus says of a checkpoint's searches."""

from typing import TYPE_CHECKING, Annotated

import typer

from headscope.app.commands.console import progress_bar, say
from headscope.app.commands.corpus import Data, Parts, load_both
from headscope.app.commands.options import Checkpoint, Device, SkipBadLines
from headscope.model.search.limits import BEAMS

if TYPE_CHECKING:
    from headscope.analysis.search.study import SearchStudy


def study(
    checkpoint: Checkpoint,
    data: Data,
    part: Parts = None,
    sentences: Annotated[int, typer.Option(min=1, metavar="N", help="Take the first N pairs alone.")] = 500,
    beam: Annotated[
        list[int] | None,
        typer.Option(
            "--beam", min=BEAMS[0], max=BEAMS[1], metavar="N", help="A beam to compare (repeatable). [1 to 64, doubled]"
        ),
    ] = None,
    exact: Annotated[int, typer.Option(min=1, metavar="N", help="How many of them are searched exactly.")] = 500,
    nodes: Annotated[int, typer.Option(min=1, metavar="N", help="Hypotheses of each that are extended then.")] = 2000,
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
) -> None:
    """Search a corpus in many ways, and keep what comes of it in a checkpoint's folder as searches.json.

    BLEU, chrF and length against the beam, greedy search against the checkpoint's own, how often the empty translation
    is the most probable one, and sentences that show each of these. Text is taken that the model was not trained on:
    heldout and the other parts but train and dev, unless some are named.
    """
    from headscope.analysis.search.curves import BEAMS, search_study
    from headscope.analysis.search.study import STUDY, save_study

    translator, texts = load_both(checkpoint, [data], device, parts=part, most=sentences, skip_bad_lines=skip_bad_lines)
    with progress_bar("searches") as progress:
        found = search_study(translator, texts, beams=beam or BEAMS, exact=exact, nodes=nodes, progress=progress)
    save_study(found, translator.card.path)
    _show(found)
    if left_out := len(texts.pairs) - found.sentences:
        say(f"{left_out:,} pairs left out: too long for this model")
    say(f"{found.sentences:,} sentences: {translator.card.path / STUDY}")


def _show(found: "SearchStudy") -> None:
    for point in found.points:
        print(
            f"beam {point.beam:2}, length penalty {point.alpha:g}: BLEU {point.bleu.value:.2f}, chrF "
            f"{point.chrf.value:.2f}, length {point.length_ratio:.3f}, log p {point.log_prob:.2f}, {point.empty:,} "
            f"empty, {point.cut_off:,} cut off"
        )
    modes = found.modes
    print(f"most probable translation: proven in {modes.proven:,} of {modes.sentences:,}; empty in {modes.empty:,}")
    for example in found.examples:
        print(f"\n{example.lesson}: {example.source}\n  = {example.reference}")
        for each in (example.a, example.b):
            print(f"  beam {each.beam}, length penalty {each.alpha:g}: {each.text}  (log p {each.log_prob:.2f})")
