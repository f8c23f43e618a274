"""A training run from its start, or from where it was left, to its end."""

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import torch

from headscope.model.data.prepared import PreparedData
from headscope.model.files import AtomicWriter
from headscope.model.progress import Cancelled, Progress, Silent
from headscope.model.training.loop import Outcome, TrainingLoop
from headscope.model.training.observer import TrainingObserver
from headscope.model.training.process_group import joined
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory, RunStatus
from headscope.model.training.training_data import gather


def train(
    recipe: Recipe,
    data: PreparedData,
    folder: Path,
    *,
    device: str = "auto",
    skip_bad_lines: bool = False,
    command: str = "",
    progress: Progress | None = None,
    observers: Sequence[TrainingObserver] = (),
    writer: AtomicWriter | None = None,
) -> Outcome:
    """Train a model in a run folder, or go on with the run that is there.

    Stops when `progress` raises Cancelled or somebody touches `stop` in the folder: the state is saved, and a later
    call goes on from there. On a CPU with the same number of threads and the same torch it goes on bit by bit as if it
    had not been stopped. Torch's global random generators are seeded and used.

    Processes that torchrun has started train one model together, each on its own GPU or on the CPU; `threads` counts
    for each of them. They get the same outcome; a wish to stop that reaches one stops all after the same update, and
    observers are told of everything in the first process alone.

    Args:
        device: auto, cpu or cuda.
        skip_bad_lines: leave out and count unusable lines of the training text instead of raising.
        command: how the run was started, for the record in the checkpoint.

    Raises:
        HeadscopeError: the folder is in use or holds another run, the text is unusable, or the training diverged.
    """
    progress = progress or Silent()
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    run, made_here = RunDirectory(folder, writer), not folder.exists()
    with joined(device) as (group, chosen), ExitStack() as stack:
        before = group.from_first(lambda: _take(run, recipe.steps, stack))
        try:
            training_data = group.agreed(
                lambda: gather(recipe, data, run, skip_bad_lines=skip_bad_lines, progress=progress, group=group)
            )
            course = TrainingLoop(recipe, training_data, run, chosen, group, command, progress, observers)
            course.restore()
        except Cancelled:
            group.from_first(lambda: run.set_status("stopped"))
            return Outcome("stopped", before.step, None)
        except Exception as error:
            if group.leads:
                _give_back(run, before, error, made_here=made_here)
            raise
        return course.run_on(finished=before.state == "finished")


def _take(run: RunDirectory, steps: int, stack: ExitStack) -> RunStatus:
    """Hold the folder as long as `stack` is open. Returns how the run stood."""
    stack.enter_context(run.held())
    before = run.status
    run.set_status("starting", steps=steps)
    return before


def _give_back(run: RunDirectory, before: RunStatus, error: Exception, *, made_here: bool) -> None:
    """Leave the folder as it was found, after a start that failed."""
    if made_here:
        shutil.rmtree(run.path)
    elif before.state in ("starting", "waiting"):
        run.set_status("failed", message=str(error))
    else:
        run.restore_status(before)
