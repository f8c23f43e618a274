"""What the commands share that measure a checkpoint over a corpus and keep the result in its folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.corpus.texts import Texts
    from headscope.analysis.measures.alignment import Gold
    from headscope.model.translator import Translator

Data = Annotated[Path, typer.Option(metavar="DIR", help="Folder of prepared data, or of parts as training takes them.")]
Datas = Annotated[
    list[Path], typer.Option("--data", metavar="DIR", help="Folder of data as training takes it (repeatable).")
]
Sentences = Annotated[int | None, typer.Option(min=1, metavar="N", help="Take the first N pairs alone.")]
Parts = Annotated[
    list[str] | None,
    typer.Option("--part", metavar="NAME", help="A part of the data to use (repeatable), as test or heldout."),
]


def load_both(
    checkpoint: str,
    data: Sequence[Path],
    device: str,
    *,
    parts: Sequence[str] | None,
    most: int | None,
    skip_bad_lines: bool,
) -> "tuple[Translator, Texts]":
    """A checkpoint, and sentence pairs that it can read.

    Args:
        parts: of the data; none: those that no training on it learns from.
        most: pairs that are taken, the first ones; None: all.

    Raises:
        HeadscopeError: either is missing or broken, or the text is none that the model can read.
    """
    from headscope.analysis.corpus.texts import read_texts, require_readable
    from headscope.model.card import resolve
    from headscope.model.data.prepared import load_prepared
    from headscope.model.translator import load_translator

    folder = resolve(checkpoint)
    texts = read_texts(list(map(load_prepared, data)), parts=parts or (), most=most, skip_bad_lines=skip_bad_lines)
    translator = load_translator(folder, device)
    require_readable(translator, texts.pairs)
    return translator, texts


def gold_of(given: str, files: str, wanted: str, *, swap: bool, counted_from: int = 1) -> "list[Gold]":
    """The words aligned by people that an option names.

    Args:
        given: what was given as --gold.
        files: the part of it that names the two files, TEXT,LINKS.
        wanted: what it should have been, in words.

    Raises:
        HeadscopeError: it does not name two files, or as `read_gold`.
    """
    from headscope.analysis.measures.alignment import read_gold

    paths = [Path(file) for file in files.split(",")]
    if len(paths) != 2:
        raise HeadscopeError(f"--gold {given}: give {wanted}")
    for path in paths:
        if not path.is_file():
            raise HeadscopeError(f"--gold {given}: there is no file {path}")
    return read_gold(*paths, swap=swap, counted_from=counted_from)
