"""`headscope train`: train a model, or go on with a run."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from headscope.app.commands.console import say
from headscope.app.commands.options import SkipBadLines
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.training.run_directory import RunDirectory, read_status
from headscope.model.training.turns import Request, ask, read_request, turn


def train(
    recipe: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="tiny, small, base, big, multi30k-tiny, or a TOML file.")
    ],
    data: Annotated[Path, typer.Option(metavar="DIR", help="Folder of prepared data.")],
    run: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the run: made, or gone on with.")],
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a value of the recipe (repeatable).")
    ] = None,
    device: Annotated[str, typer.Option(help="auto (CUDA where there is a device), cpu, cuda or cuda:N.")] = "auto",
    threads: Annotated[int | None, typer.Option(min=1, help="CPU threads.")] = None,
    skip_bad_lines: SkipBadLines = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Write the figures for TensorBoard too: tensorboard --logdir DIR.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until no other run beside this one trains on the device.")
    ] = False,
) -> None:
    """Train a model on prepared data. The finished model is the folder `checkpoint` in that of the run.

    Ctrl-C, a TERM signal or a file named `stop` in the run's folder save the state and end the command; the same
    command goes on from there. A second Ctrl-C ends it at once, and the run goes on from the last validation.

    Several processes, each with a GPU of its own or on the CPU, train one model on the batches of the recipe, with the
    threads of the recipe each, when torchrun starts them. Its -- keeps it from taking --run for an option of its own:
    torchrun --standalone --nproc-per-node 2 --no-python -- headscope train --run DIR …

    With --wait, runs in one folder train one after the other, a device at a time, in the order in which they were asked
    for; runs that the page Runs starts are in the same line.

    Exit codes: 0 finished, or stopped by the file; 130 stopped by Ctrl-C, 143 by TERM; 2 bad input.
    """
    set_up_memory()
    with signals() as received, ExitStack() as stack:
        if wait:
            request = Request(str(data.resolve()), "cpu", time.time(), skip_bad_lines)
            try:
                stack.enter_context(in_line(run, request, device, lambda: bool(received)))
            except Cancelled:
                say("stopped while it waited for its turn")
                raise typer.Exit(128 + received[0] if received else 0) from None
        _train(recipe, data, run, changes or [], device, threads, skip_bad_lines, tensorboard, received)


def _train(
    recipe: str,
    data: Path,
    run: Path,
    changes: list[str],
    device: str,
    threads: int | None,
    skip_bad_lines: bool,
    tensorboard: bool,
    received: list[int],
) -> None:
    from headscope.analysis.measures.history import HistoryWriter
    from headscope.app.commands.train_display import TrainDisplay
    from headscope.model.data.prepared import load_prepared
    from headscope.model.training.process_group import first_process
    from headscope.model.training.recipe import load_recipe
    from headscope.model.training.scalars import ScalarWriter
    from headscope.model.training.trainer import train as train_model

    changes = [*changes, *([f"threads={threads}"] if threads else [])]
    chosen = load_recipe(recipe, changes)
    prepared = load_prepared(data)
    settings = "".join(f" --set {change}" for change in changes) + (" --skip-bad-lines" if skip_bad_lines else "")
    command = f"headscope train --recipe {Path(recipe).name} --data {data.name} --run {run.name}{settings}"
    history = HistoryWriter(run, prepared)
    scalars = [ScalarWriter(run / "tensorboard")] if tensorboard else []
    with TrainDisplay(received, visible=first_process()) as display:
        outcome = train_model(
            chosen,
            prepared,
            run,
            device=device,
            skip_bad_lines=skip_bad_lines,
            command=command,
            progress=display,
            observers=[display, history, *scalars],
        )
    if first_process():
        if outcome.checkpoint:
            history.finish(outcome.checkpoint)
            say(f"finished after update {outcome.step:,}: {outcome.checkpoint}")
        else:
            say(f"stopped after update {outcome.step:,}; the state is saved, the same command goes on from there")
    if outcome.state == "stopped" and received:
        raise typer.Exit(128 + received[0])


@contextmanager
def in_line(run: Path, request: Request, device: str, cancelled: Callable[[], bool]) -> Iterator[None]:
    """Wait until it is the run's turn, and hold the device. Where nobody has asked for it yet, this does."""
    if "TORCHELASTIC_RUN_ID" in os.environ:
        raise HeadscopeError("--wait is for one process: start torchrun without it")
    if read_request(run) is None or read_status(run).state != "waiting":
        from headscope.model.network.device import choose_device

        chosen = choose_device(device)
        name = f"cuda:{chosen.index or 0}" if chosen.type == "cuda" else chosen.type
        directory = RunDirectory(run)
        with directory.held():
            ask(directory, replace(request, device=name), steps=directory.status.steps)
    with turn(run, cancelled=cancelled):
        yield


@contextmanager
def signals() -> Iterator[list[int]]:
    """The signals that ask to stop, as they come in. The second one has its usual effect, at once.

    Under torchrun it has none: that passes on to its processes what the terminal has sent them already.
    """
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if "TORCHELASTIC_RUN_ID" in os.environ:
            return
        for known, handler in before.items():
            signal.signal(known, handler)

    for number in before:
        signal.signal(number, note)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def set_up_memory() -> None:
    """How this process, and those it starts, hold memory on a CPU. Torch and oneDNN read it when they start.

    Every batch has another shape, so all large blocks are given back and fetched anew: in pages of 2 MiB that costs
    little, in the usual ones a quarter of an update. For each shape oneDNN keeps what it has compiled; it need not keep
    many, because they do not come again.
    """
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "128")
