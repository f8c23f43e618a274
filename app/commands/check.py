"""`headscope check`: what is in a text before anything is trained on it."""

from pathlib import Path
from typing import Annotated

import typer

from headscope.app.commands.console import progress_bar, write_rows
from headscope.model.errors import HeadscopeError


def check(data: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of data as training takes it.")]) -> None:
    """Look through a text before training on it: counts, lengths, doubled pairs, what test sets share, every problem.

    Exit codes: 0 it can be trained on, whatever was found; 2 it cannot.
    """
    from headscope.model.data.inspection import BINS, inspect_text
    from headscope.model.data.prepared import load_prepared

    with progress_bar(data.name) as progress:
        report = inspect_text(load_prepared(data), progress=progress)
    rows = {part: f"{count:,} pairs" for part, count in report.pairs.items()}
    rows |= {"doubled": f"{report.doubled:,} training pairs"}
    rows |= {f"also in {part}": f"{count:,} training pairs" for part, count in report.overlaps.items()}
    rows["words"] = f"source  target  (longest: {report.longest[0]:,} and {report.longest[1]:,})"
    for place, least in enumerate(BINS):
        label = f"  {least} or more" if least == BINS[-1] else f"  {least} to {BINS[place + 1] - 1}"
        rows[label] = "  ".join(f"{side[place]:6,}" for side in report.lengths)
    write_rows(rows)
    for source, target in report.first:
        print(f"{source}\t{target}")
    for problem in report.problems:
        print(problem)
    if not report.usable:
        raise HeadscopeError(f"{data} cannot be trained on: it needs pairs in 'train' and 'dev'")
