"""`headscope runs`: which trainings there are, how they compare, what was measured of one, and checkpoints of them."""

from pathlib import Path
from typing import Annotated

import typer

from headscope.app.commands.console import say, write_rows
from headscope.model.errors import HeadscopeError

runs = typer.Typer()

Folder = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The folder that the runs are in.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A run of that folder.")]


@runs.callback(invoke_without_command=True)
def listed(context: typer.Context, folder: Folder = Path("runs")) -> None:
    """List the trainings of a folder: waiting, running, stopped, finished, crashed, killed or out of disk.

    `headscope runs compare`, `export` and `checkpoint` do more with them.
    """
    if context.invoked_subcommand is not None:
        return
    from headscope.model.training.runs import list_runs

    found = list_runs(folder)
    if not found:
        raise HeadscopeError(f"there is no run in {folder}: train one there, or name another folder with --runs")
    rows = {}
    for run in found:
        words = [run.condition, f"update {run.status.step:,} of {run.status.steps:,}", run.status.message]
        rows[run.name] = "  ".join(word for word in words if word)
    write_rows(rows)


@runs.command()
def compare(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Some of them; all if not given.")
    ] = None,
    folder: Folder = Path("runs"),
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Where to; standard output if not given.")
    ] = None,
) -> None:
    """Write one row a run as CSV: its best validation, what it took, its text and versions, where recipes differ."""
    from headscope.analysis.measures.run_comparison import compare_runs
    from headscope.model.training.runs import find, list_runs

    found = [find(folder, name) for name in names] if names else list_runs(folder)
    if not found:
        raise HeadscopeError(f"there is no run in {folder}: name another folder with --runs")
    _write(compare_runs(found).to_csv(index=False, lineterminator="\n"), out)


@runs.command()
def export(
    name: Name,
    folder: Folder = Path("runs"),
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Where to; standard output if not given.")
    ] = None,
) -> None:
    """Write everything that was measured of a run while it trained as CSV, a row each."""
    from headscope.analysis.measures.run_comparison import run_table
    from headscope.model.training.runs import find

    _write(run_table(find(folder, name)).to_csv(index=False, lineterminator="\n"), out)


@runs.command()
def checkpoint(
    name: Name,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to make.")],
    steps: Annotated[
        list[int] | None,
        typer.Option("--step", help="An update whose weights were kept (repeatable): their mean is taken."),
    ] = None,
    folder: Folder = Path("runs"),
) -> None:
    """Make a checkpoint of a run: the one it finished with, or the mean of weights that were kept on the way."""
    from headscope.model.training.promotion import make_checkpoint
    from headscope.model.training.runs import find

    make_checkpoint(find(folder, name).path, out, steps=sorted(set(steps or [])))
    say(f"{out}: a checkpoint of {name}")


def _write(text: str, out: Path | None) -> None:
    if out is None:
        print(text, end="")
        return
    from headscope.model.files import replace_file

    replace_file(out, lambda fresh: fresh.write_text(text, "utf-8", newline="\n"))
