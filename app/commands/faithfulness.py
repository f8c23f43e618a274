"""`headscope faithfulness`: which methods of attribution a corpus speaks for on a checkpoint."""

from typing import TYPE_CHECKING, Annotated

import typer

from headscope.app.commands.console import progress_bar, say
from headscope.app.commands.corpus import Data, Parts, load_both
from headscope.app.commands.options import Checkpoint, Device, SkipBadLines

if TYPE_CHECKING:
    from headscope.analysis.corpus.faithfulness_study import FaithfulnessStudy


def faithfulness(
    checkpoint: Checkpoint,
    data: Data,
    part: Parts = None,
    sentences: Annotated[int, typer.Option(min=2, metavar="N", help="Take the first N pairs alone.")] = 50,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Such as saliency or occlusion (repeatable). [all that there are]"),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Passes of an integral. [until sums are right to 1 %]")
    ] = None,
    orders: Annotated[int, typer.Option(min=1, metavar="N", help="Random orders, a sentence.")] = 20,
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
) -> None:
    """Rank methods of attribution over a corpus, and keep the ranking in a checkpoint's folder as faithfulness.json.

    Of each sentence, source tokens are masked in the order of each method, those that speak most for a target piece
    first, and in random orders. Printed are, in nats and with 95 % intervals by bootstrap over distinct sources, how
    much more is lost than in random orders (comprehensiveness), how much less with these tokens alone (sufficiency),
    and by how much the first method is more comprehensive than each on the same sentences. Where that interval reaches
    0, the two cannot be told apart. Text is taken that the model was not trained on, unless parts are named.
    """
    from headscope.analysis.attribution.registry import METHODS
    from headscope.analysis.corpus.faithfulness_study import STUDY, faithfulness_study, save_faithfulness_study

    translator, texts = load_both(checkpoint, [data], device, parts=part, most=sentences, skip_bad_lines=skip_bad_lines)
    with progress_bar("sentences") as progress:
        found = faithfulness_study(
            translator, texts, method or [*METHODS], steps=steps, orders=orders, progress=progress
        )
    save_faithfulness_study(found, translator.card.path)
    _show(found)
    if left_out := len(texts.pairs) - found.sentences:
        say(f"{left_out:,} pairs left out: blank, or too long for this model")
    say(f"{found.sentences:,} sentences: {translator.card.path / STUDY}")


def _show(found: "FaithfulnessStudy") -> None:
    print(f"{'method':24}{'comprehensiveness':26}{'sufficiency':26}behind the first")
    for each in found.methods:
        numbers = (
            f"{estimate.mean:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}]"
            for estimate in (each.comprehensiveness, each.sufficiency, each.lead)
        )
        print(f"{each.name:24}{''.join(f'{number:26}' for number in numbers)}".rstrip())
