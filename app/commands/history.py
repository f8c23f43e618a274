"""`headscope history`: what every head did while a model was trained."""

from pathlib import Path
from typing import Annotated

import typer

from headscope.app.commands.console import say, write_rows
from headscope.model.errors import HeadscopeError


def history(
    checkpoint: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="A checkpoint that ships, by name, or a folder.")
    ] = None,
    run: Annotated[Path | None, typer.Option(metavar="DIR", help="The folder of a run, which may go on.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="The table to write.")] = None,
) -> None:
    """What every head did while a model was trained: a row a snapshot, head and measure, as the page "Over training".

    Numbers are means over development sentences. On standard output stand the heads that play a role at the last
    snapshot, and since which update they do.
    """
    from headscope.analysis.gallery.wording import name
    from headscope.analysis.measures.course import roles_taken, steps
    from headscope.analysis.measures.history import HISTORY, load_history, run_history
    from headscope.app.export.table import counted_csv
    from headscope.model.card import resolve
    from headscope.model.files import replace_file, require_file_place

    if (checkpoint is None) == (run is None):
        raise HeadscopeError("give --checkpoint or --run: the history of one of them")
    if out:
        require_file_place(out)
    if run is not None:
        found = run_history(run)
    else:
        folder = resolve(checkpoint or "")
        if not (folder / HISTORY).exists():
            raise HeadscopeError(
                f"{folder.name} has no {HISTORY}: headscope train writes one; choose a checkpoint that it made"
            )
        found = load_history(folder / HISTORY)
    if out:
        table = counted_csv(found.to_pandas(), ["layer", "head"], [])
        replace_file(out, lambda fresh: fresh.write_bytes(table))
    roles = {head: roles_taken(found, head) for head in found.heads}
    shown = {
        name(head): ", ".join(f"{each.role.name} since update {each.step:,}" for each in own)
        for head, own in roles.items()
        if own
    }
    if shown:
        write_rows(shown)
    known = steps(found)
    say(
        f"{len(known)} snapshots, updates {known[0]:,} to {known[-1]:,}; means over {found.sentences:,} sentences"
        + (f": {out}" if out else "")
    )
