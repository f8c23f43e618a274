"""`headscope data`: make a known data set ready for training."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.console import progress_bar, say, write_rows


def data(
    name: Annotated[str, typer.Argument(metavar="NAME", help="tatoeba-en-de or multi30k-en-de.")],
    folder: Annotated[
        Path, typer.Option("--from", metavar="FOLDER", help="Where its files are, or a folder that contains that one.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")],
) -> None:
    """Check a local copy of a data set, split it, and write a folder for `headscope train`.

    Every part is two plain files, as train.en and train.de; data.json says where they come from, under which licence,
    and how they were split. No sentence of a development, held-out or test part is left in the training text, on
    either side. A folder that this command made before is made anew; any other that is not empty is refused.
    """
    from model.datasets import prepare

    with progress_bar(name) as progress:
        prepared = prepare(name, folder, out, progress=progress)
    write_rows({part: f"{count:,} pairs" for part, count in prepared.metadata["pairs"].items()})
    say(f"{out}: {prepared.metadata['attribution']}; {prepared.metadata['licence']}")
