"""`headscope positions`: what a model does with positions, and the experiment beyond the trained length."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headscope.app.commands.console import progress_bar, say
from headscope.app.commands.corpus import Data, Parts, load_both
from headscope.app.commands.options import Device, SkipBadLines, load
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headscope.analysis.positions.comparison import Comparison
    from headscope.analysis.positions.jobs import Job

positions = typer.Typer()


@positions.callback(invoke_without_command=True)
def study(
    context: typer.Context,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="A checkpoint that ships, by name, or a folder.")
    ] = None,
    data: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of data as training takes it.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="The folder to make, of tables.")] = None,
    other: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="A checkpoint to compare with, as a twin of other positions.")
    ] = None,
    null: Annotated[
        list[str] | None,
        typer.Option(
            "--null",
            metavar="NAME|DIR",
            help="Another training of its kind, to judge heads by (repeatable).",
        ),
    ] = None,
    part: Parts = None,
    sentences: Annotated[int, typer.Option(min=8, metavar="N", help="Draw N pairs for all but lengths.")] = 500,
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Sentences of each length.")] = 200,
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
) -> None:
    """What a model does with positions, as tables; `experiment` is about what lies beyond the trained length.

    Loss, BLEU and chrF by length, by position, of short sentences at other positions, and with positions taken away,
    shuffled, shifted, interpolated or swapped with the other checkpoint's; attention of every head by distance; how
    well position can be read off every layer. DIR gets them as csv, and the checkpoint's folder all of it as
    position_study.json. With --other, DIR also gets both checkpoints' translations compared by paired bootstrap, and
    their heads, matched. Text is taken that the model was not trained on, unless parts are named.
    """
    if context.invoked_subcommand is not None:
        return
    if checkpoint is None or data is None or out is None:
        missing = next(
            name for name, value in (("checkpoint", checkpoint), ("data", data), ("out", out)) if value is None
        )
        raise HeadscopeError(f"--{missing} is missing (see headscope positions --help)")
    if null and not other:
        raise HeadscopeError("--null says how alike two trainings of one kind are: give --other too")
    from headscope.model.files import refuse_existing

    refuse_existing(out)
    from headscope.analysis.positions.comparison import require_same_languages
    from headscope.analysis.positions.study import STUDY, position_study, save_position_study, tables
    from headscope.app.export.table import counted_csv
    from headscope.model.files import new_folder

    translator, texts = load_both(checkpoint, [data], device, parts=part, most=None, skip_bad_lines=skip_bad_lines)
    second = load(other, device) if other else None
    nulls = [load(name, device) for name in null or ()]
    if second:
        require_same_languages(translator, second)
    with progress_bar("positions") as progress, new_folder(out) as folder:
        found = position_study(translator, texts, second, nulls, most=most, sentences=sentences, progress=progress)
        for name, table in tables(found).items():
            counts = {"distance": ["layer", "head"], "share": ["head"]}.get(name)
            if counts:
                (folder / f"{name}.csv").write_bytes(counted_csv(table, counts, []))
            else:
                table.to_csv(folder / f"{name}.csv", index=False)
        if found.comparison:
            _write_comparison(found.comparison, folder)
    save_position_study(found, translator.card.path)
    say(f"{found.sentences:,} sentences: {out}, {translator.card.path / STUDY}")


def _write_comparison(found: "Comparison", folder: Path) -> None:
    import pandas as pd

    pd.DataFrame(found.scores).to_csv(folder / "scores.csv", index=False)
    found.to_pandas().to_csv(folder / "heads.csv", index=False)
    rows = [
        {"kind": each.kind, "across": each.across, "mean": each.mean, "interval": each.interval}
        | {"sentences": each.sentences, "null": list(verdict.null), "outside": verdict.outside}
        for each, verdict in zip(found.matchings, found.verdicts, strict=True)
    ]
    pd.DataFrame(rows).to_csv(folder / "matching.csv", index=False)
    if found.unmatched:
        say(found.unmatched)


@positions.command()
def experiment(
    data: Data,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of trainings and results.")],
    seeds: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Trainings of each compared model.")] = 3,
    scheme: Annotated[
        list[str] | None,
        typer.Option(
            "--scheme", metavar="NAME", help="rotary, alibi, shaw, t5 or none, trained once (repeatable). [all five]"
        ),
    ] = None,
    no_schemes: Annotated[bool, typer.Option("--no-schemes", help="Train no further schemes.")] = False,
    updates: Annotated[int, typer.Option(min=1, metavar="N", help="Of each training.")] = 3500,
    batch_tokens: Annotated[int, typer.Option(min=16, metavar="N", help="Padded tokens of an update.")] = 2048,
    part: Annotated[str, typer.Option(metavar="NAME", help="The part of the data to measure on.")] = "test",
    most: Annotated[int, typer.Option(min=1, metavar="N", help="Sentences of each length to measure on.")] = 200,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 1,
    device: Device = "auto",
    show: Annotated[
        bool, typer.Option("--list", help="Show what is done, what is left, and what is lost beyond 8 pieces so far.")
    ] = False,
) -> None:
    """Train small models on pairs of at most 8 pieces a side, and controls on pairs of all lengths, and measure both.

    Sinusoidal and learned positions, each with every seed, then one short training of each further scheme. The data
    needs a vocabulary, the folder of that name of a checkpoint. Every job is trained in DIR/NAME and leaves one small
    file in DIR/results; one that is there is not made again. Ctrl-C stops, and the same command goes on. What --list
    says is lost is the loss of the short trainings minus that of the controls; at an offset, that of moved sentences
    minus that of the same where they were.

    Exit codes: 0 all done; 130 stopped by Ctrl-C, 143 by TERM; 2 bad input.
    """
    from headscope.analysis.positions.jobs import FURTHER, Budget, job_list

    for name in scheme or ():
        if name not in FURTHER:
            raise HeadscopeError(f"--scheme {name}: choose from {', '.join(FURTHER)}; the others are trained anyway")
    if scheme and no_schemes:
        raise HeadscopeError("--scheme and --no-schemes exclude each other: give one of them")
    left_out = set(FURTHER if no_schemes else ()) | set(FURTHER).difference(scheme or FURTHER)
    jobs = job_list(seeds, [known for known in FURTHER if known not in left_out])
    if show:
        _list(out, jobs)
        return
    from headscope.app.commands.train import set_up_memory, signals

    set_up_memory()
    from headscope.analysis.positions.experiment import run_experiment
    from headscope.app.commands.train_display import TrainDisplay
    from headscope.model.data.prepared import load_prepared

    with signals() as received, TrainDisplay(received) as display:
        finished = run_experiment(
            load_prepared(data),
            out,
            jobs,
            budget=Budget(updates=updates, batch_tokens=batch_tokens),
            threads=threads,
            device=device,
            part=part,
            most=most,
            observers=[display],
            progress=display,
            done=lambda job: say(f"{job.name} is done"),
        )
    if not finished:
        say("stopped; the state is saved, the same command goes on from there")
        raise typer.Exit(128 + received[0] if received else 0)
    say(f"all {len(jobs)} jobs are done: {out / 'results'}")


def _list(out: Path, jobs: "Sequence[Job]") -> None:
    from headscope.analysis.positions.experiment import load_results
    from headscope.analysis.positions.verdict import contrasts
    from headscope.model.training.run_directory import read_status

    results = load_results(out, jobs)
    for job in jobs:
        if job in results:
            state = "done"
        elif (out / job.name / "status.json").exists():
            status = read_status(out / job.name)
            state = f"{status.state}, update {status.step:,} of {status.steps:,}"
        else:
            state = "waiting"
        print(f"{job.name:28}{state}")
    for each in contrasts(list(results.values())):
        place = f"offset {each.low}" if each.condition == "offset" else f"{each.condition} {each.low} to {each.high}"
        what = "learned minus sinusoidal" if each.what == "kinds" else each.what
        print(f"{place:20}{what:26}{each.value:+.3f} ± {each.interval:.3f} nats a piece, {each.seeds} seeds")
