"""`headscope data`: make a known data set ready for training."""

import os
from pathlib import Path
from typing import Annotated

import typer

from headscope.app.commands.console import progress_bar, say, write_rows


def data(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="tatoeba-en-de, tatoeba-de-en, multi30k-en-de or multi30k-en-de-tokenised."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FOLDER",
            help="Where its files are, or a folder that contains that one. Without, they are downloaded.",
        ),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where downloads are kept; headscope in the user's cache if not given."),
    ] = None,
) -> None:
    """Make a known data set ready for `headscope train`.

    It is downloaded or taken from a local copy, checked and split. Every part is two plain files, as train.en and
    train.de; data.json says where they come from, under which licence, and how they were split. No sentence of a
    development, held-out or test part is left in the training text, on either side. A folder that this command made
    before is made anew; any other that is not empty is refused.

    multi30k-en-de-tokenised keeps the published split, for comparing with published results: lower-cased, in Moses
    tokens, cut by 10,000 joint BPE merges. It needs the extra `data`: pip install 'headscope[data]'.

    A download that was interrupted goes on where it stopped.
    """
    from headscope.model.data.download import fetch
    from headscope.model.data.known_datasets import find
    from headscope.model.data.preparation import prepare

    known = find(name)
    if folder is None:
        with progress_bar(f"{name}, kB") as progress:
            folder = fetch(known, cache or _user_cache(), progress=progress)
    with progress_bar(name) as progress:
        prepared = prepare(known, folder, out, progress=progress)
    write_rows({part: f"{count:,} pairs" for part, count in prepared.metadata["pairs"].items()})
    say(f"{out}: {prepared.metadata['attribution']}; {prepared.metadata['licence']}")


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "headscope"
