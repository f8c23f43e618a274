"""Jobs of an ablation worked off by several processes at once, each on one job, on one device.

A training of a small model leaves most of a GPU idle, and several cores of a CPU. Every process is a fresh one that
makes one result and ends. Whoever asks to stop reaches them by the file `stop` in the folder of each training, and they
stop by themselves when the process that started them is gone.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from headscope.analysis.experiments.ablation import (
    ABLATIONS,
    Worked,
    ablated,
    require_same_settings,
)
from headscope.analysis.experiments.grids import AblationBudget, AblationJob
from headscope.analysis.experiments.runner import RESULTS, work_off
from headscope.model.data.prepared import PreparedData, load_prepared
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled, Progress, Silent

LOOKS = 0.5
"""Seconds between two looks at whether to stop."""


@dataclass(frozen=True, slots=True)
class _Task:
    data: Path
    out: Path
    job: AblationJob
    budget: AblationBudget
    device: str
    parent: int
    """Process that waits for it."""


@dataclass(frozen=True, slots=True)
class _WhileWanted:
    """Lets a job go on as long as its parent lives."""

    parent: int

    def update(self, done: int, total: int | None) -> None:
        """Look.

        Raises:
            Cancelled: the parent is gone.
        """
        if os.getppid() != self.parent:
            raise Cancelled


def run_side_by_side(
    data: PreparedData,
    out: Path,
    jobs: Sequence[AblationJob],
    budget: AblationBudget,
    *,
    at_once: int,
    device: str = "auto",
    progress: Progress | None = None,
    done: Callable[[AblationJob], None] = lambda _: None,
    work: Callable[[_Task], bool] | None = None,
) -> Worked:
    """As `run_ablation`, with so many jobs at once.

    Args:
        progress: told of jobs, how many are done of all.
        done: told of each job that was done.
        work: another way to do a job, for tests: a function of a module, which says whether it is done.

    Raises:
        HeadscopeError: a recipe cannot be, or the folder has results of other settings or of another text.
    """
    require_same_settings(out, jobs, budget)
    progress = progress or Silent()
    there = ABLATIONS.load(out / RESULTS, jobs)
    waiting = [job for job in jobs if job not in there]
    (out / RESULTS).mkdir(parents=True, exist_ok=True)
    running: dict[AblationJob, tuple[BaseProcess, Connection]] = {}
    failed: dict[str, str] = {}
    stopping, left = False, False
    while running or (waiting and not stopping):
        while waiting and not stopping and len(running) < at_once:
            job = waiting.pop(0)
            running[job] = _start(_Task(data.folder, out, job, budget, device, os.getpid()), work or _work)
        wait([process.sentinel for process, _ in running.values()], timeout=LOOKS)
        for job, (process, answers) in list(running.items()):
            if process.is_alive():
                continue
            del running[job]
            finished, problem = _answer(process, answers)
            if problem:
                failed[job.name] = problem
            elif finished:
                done(job)
            else:
                left = True
        try:
            progress.update(len(jobs) - len(waiting) - len(running), len(jobs))
        except Cancelled:
            stopping = True
        if stopping:
            for job in running:
                if (out / job.name).is_dir():
                    (out / job.name / "stop").touch()
    return Worked(not waiting and not left, failed)


def _start(task: _Task, work: Callable[[_Task], bool]) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("spawn")  # a forked process could not use a GPU
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(task, work, theirs), name=task.job.name)
    process.start()
    theirs.close()
    return process, ours


def _run(task: _Task, work: Callable[[_Task], bool], answers: Connection) -> None:
    # Ctrl-C reaches all processes of a terminal; what is to be done about it the parent says.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        answers.send((work(task), ""))
    except HeadscopeError as error:
        answers.send((False, str(error)))


def _answer(process: BaseProcess, answers: Connection) -> tuple[bool, str]:
    process.join()
    try:
        found = answers.recv() if answers.poll() else None
    except EOFError:
        found = None
    answers.close()
    if found is None:
        said = f"its process ended without a word (exit code {process.exitcode})"
        return False, f"{said}; where memory was short, run fewer side by side: the same command goes on"
    return found


def _work(task: _Task) -> bool:
    data, wanted = load_prepared(task.data), _WhileWanted(task.parent)
    try:
        return work_off(
            [task.job],
            task.out,
            ABLATIONS,
            lambda job: ablated(data, task.out, job, task.budget, device=task.device, progress=wanted),
        )
    except Cancelled:  # while it translated
        return False
