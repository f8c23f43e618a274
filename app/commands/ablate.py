"""`headscope ablate`: models that differ from a base in one thing, and what the difference makes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headscope.app.commands.console import progress_bar, say
from headscope.app.commands.options import Device

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from headscope.analysis.experiments.ablation import Worked
    from headscope.analysis.experiments.grids import AblationBudget, AblationJob


def ablate(
    grid: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="heads, key-size, depth, width, dropout, label-smoothing, positions or attention.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of trainings and results.")],
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of data as training takes it. [not for --list]")
    ] = None,
    recipe: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="The base row: tiny, multi30k-tiny, or a TOML file of that size.")
    ] = "tiny",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a value of all rows (repeatable)."),
    ] = None,
    updates: Annotated[int, typer.Option(min=1, metavar="N", help="Of each training.")] = 1500,
    seeds: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Trainings of each row.")] = 3,
    side_by_side: Annotated[
        int, typer.Option("--jobs-side-by-side", min=1, max=256, metavar="N", help="Trainings at once on the device.")
    ] = 1,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads of each training.")] = 1,
    device: Device = "auto",
    show: Annotated[
        bool, typer.Option("--list", help="Show what is done, what is left, and the differences so far.")
    ] = False,
) -> None:
    """Train small models that differ from a base in one thing each, and say what the difference makes.

    All have the same number of updates of as many tokens; floating-point operations, seconds and parameters stand
    beside. Every training is in DIR/NAME and leaves one small file in DIR/results; one that is there is not made again,
    so all grids of a DIR share their base rows. Ctrl-C stops, and the same command goes on. Differences to the base row
    are taken within a seed, with the interval of Student's t over the seeds: one seed has no interval. They stand in
    DIR/GRID.csv.

    Exit codes: 0 all done; 130 stopped by Ctrl-C, 143 by TERM; 2 bad input, or a training that failed.
    """
    from headscope.analysis.experiments.grids import AblationBudget, ablation_jobs
    from headscope.model.errors import HeadscopeError

    jobs = ablation_jobs(grid, seeds)
    if show:
        _list(out, jobs, grid)
        return
    if data is None:
        raise HeadscopeError("--data is missing (see headscope ablate --help)")
    budget = AblationBudget(recipe=recipe, updates=updates, threads=threads, changes=tuple(changes or ()))
    worked, received = _work(data, out, jobs, budget, side_by_side, device)
    table = _differences(out, grid)
    if table is not None:
        table.to_csv(out / f"{grid}.csv", index=False)
    for name, problem in worked.failed.items():
        say(f"{name} failed: {problem}")
    if not worked.finished:
        say("stopped; the state is saved, the same command goes on from there")
        raise typer.Exit(128 + received[0] if received else 0)
    if worked.failed:
        raise typer.Exit(2)
    say(f"all {len(jobs)} jobs are done: {out / 'results'}, {out / f'{grid}.csv'}")


def _work(
    data: Path, out: Path, jobs: "Sequence[AblationJob]", budget: "AblationBudget", at_once: int, device: str
) -> "tuple[Worked, list[int]]":
    from headscope.app.commands.train import set_up_memory, signals

    set_up_memory()
    from headscope.analysis.experiments.ablation import run_ablation
    from headscope.analysis.experiments.side_by_side import run_side_by_side
    from headscope.app.commands.train_display import TrainDisplay
    from headscope.model.data.prepared import load_prepared
    from headscope.model.progress import Cancelled

    prepared = load_prepared(data)

    def done(job: "AblationJob") -> None:
        say(f"{job.name} is done")

    with signals() as received:
        if at_once == 1:
            with TrainDisplay(received) as display:
                options = {"observers": [display], "progress": display}
                return run_ablation(prepared, out, jobs, budget, device=device, done=done, **options), received

        class Stop:
            def update(self, done: int, total: int | None) -> None:
                bar.update(done, total)
                if received:
                    raise Cancelled

        with progress_bar("jobs") as bar:
            options = {"at_once": at_once, "device": device, "progress": Stop()}
            return run_side_by_side(prepared, out, jobs, budget, done=done, **options), received


def _differences(out: Path, grid: str) -> "pd.DataFrame | None":
    """The table of a grid's results; None: there are none."""
    from headscope.analysis.experiments.ablation import load_ablations
    from headscope.analysis.experiments.differences import ablation_summary, table

    results = load_ablations(out)
    return table(ablation_summary(results, grid)) if results else None


def _list(out: Path, jobs: "Sequence[AblationJob]", grid: str) -> None:
    from headscope.analysis.experiments.ablation import ABLATIONS
    from headscope.analysis.experiments.runner import RESULTS
    from headscope.model.training.run_directory import read_status

    results = ABLATIONS.load(out / RESULTS, jobs)
    for job in jobs:
        if job in results:
            state = "done"
        elif (out / job.name / "status.json").exists():
            status = read_status(out / job.name)
            said = f": {status.message}" if status.message else ""
            state = f"{status.state}, update {status.step:,} of {status.steps:,}{said}"
        else:
            state = "waiting"
        print(f"{job.name:28}{state}")
    found = _differences(out, grid)
    if found is not None:
        print()
        print(found.to_string(index=False, na_rep="", float_format=lambda value: f"{value:.3f}"))
