"""The experiment with positions beyond the trained length: a list of trainings, each with its evaluation.

A job is trained in a folder of its own by the product's trainer, which goes on where it was left, and measured. What
comes of it is one small file in `results`, and a job that has one is done: results from another machine count, and the
folders of finished trainings may be removed.
"""

import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch

import headscope
from headscope.analysis.experiments.runner import RESULTS, Frozen, OfJob, Results, work_off
from headscope.analysis.positions.jobs import CAP, Budget, Job
from headscope.analysis.positions.length import MOST, length_study
from headscope.analysis.positions.length_record import LengthStudy
from headscope.model.config import Positions
from headscope.model.data.batching import encode_corpus
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.files import ResultFile, read_json
from headscope.model.progress import Progress
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.observer import TrainingObserver
from headscope.model.training.run_directory import read_metrics
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator

FORMAT = 1
COMMAND = "headscope positions experiment"


class Validation(Frozen):
    """A point of the course of a training."""

    update: int
    nll: float
    """Nats a token on the development lines of at most `CAP` pieces a side, end of sentence included."""


class JobResult(OfJob):
    """What came of a job."""

    format: Literal[1] = 1
    name: str
    positions: Positions
    cap: int | None
    seed: int
    tokens: int
    """Target tokens that it was trained on, end of sentence included."""
    seconds: float
    """Spent on updates."""
    pairs: int
    """Training pairs within the cap."""
    data: dict[str, Any]
    """Name, languages and digest of the training text."""
    recipe: dict[str, Any]
    versions: dict[str, str]
    validations: tuple[Validation, ...]
    averaged_updates: tuple[int, ...]
    """Whose weights were averaged into the model."""
    study: LengthStudy


KIND = Results(JobResult, FORMAT, COMMAND)


def result_file(name: str) -> ResultFile[JobResult]:
    """Where the result of a job lies in the folder of results."""
    return KIND.file(name)


def load_results(out: Path, jobs: Iterable[Job]) -> dict[Job, JobResult]:
    """Those that there are.

    Raises:
        HeadscopeError: a file is damaged, or of another format.
    """
    return KIND.load(out / RESULTS, jobs)


def all_results(folder: Path) -> tuple[JobResult, ...]:
    """All that lie in a folder of results, by their names; none where there is no such folder.

    Raises:
        HeadscopeError: a file is damaged, or of another format.
    """
    return KIND.all(folder)


def run_experiment(
    data: PreparedData,
    out: Path,
    jobs: Sequence[Job],
    *,
    budget: Budget | None = None,
    threads: int = 1,
    device: str = "auto",
    part: str = "test",
    most: int = MOST,
    observers: Sequence[TrainingObserver] = (),
    progress: Progress | None = None,
    done: Callable[[Job], None] = lambda _: None,
) -> bool:
    """Work off what is left of the list, in its order. Returns whether all of it is done.

    Args:
        data: with a vocabulary, so that all models cut text into the same pieces.
        threads: of a CPU, for each training.
        part: of the data; what is measured is drawn from it.
        most: sentences of a length, at most.
        progress: told of every training by itself, and of every evaluation.
        done: told of each job that was done.

    Raises:
        HeadscopeError: the data has no vocabulary, or not the part; or a training cannot go on.
        Cancelled: `progress` wants it to stop while a job is measured; a training that is stopped is left and saved.
    """
    if data.vocabulary is None:
        raise HeadscopeError(
            f"{data.folder} has no vocabulary: put that of a checkpoint there, as the folder `vocabulary`, so that all "
            "models of the experiment cut text alike"
        )
    texts = data.read(part).pairs
    short = short_development(data, out)

    def made(job: Job) -> JobResult | None:
        outcome = train(
            job.recipe(budget or Budget(), threads=threads),
            short,
            out / job.name,
            device=device,
            command=COMMAND,
            progress=progress,
            observers=observers,
        )
        if outcome.checkpoint is None:
            return None
        return measured_job(job, out / job.name, texts, device=device, most=most, progress=progress)

    return work_off(jobs, out, KIND, made, done=done)


def short_development(data: PreparedData, out: Path) -> PreparedData:
    """The same data with the development lines that are within the cap alone.

    The weights of every model are chosen by their loss: with longer lines, capped models would be chosen by how well
    they go beyond the length that they were trained on.

    Raises:
        HeadscopeError: no line is short enough.
    """
    assert data.vocabulary is not None
    vocabulary, pairs = load_vocabulary(data.vocabulary), data.read("dev").pairs
    kept = [pair for pair in pairs if len(encode_corpus([pair], vocabulary, max_pieces=CAP))]
    if not kept:
        raise HeadscopeError(f"no line of the part 'dev' of {data.folder} has at most {CAP} pieces a side")
    out.mkdir(parents=True, exist_ok=True)
    files = out / "dev.source", out / "dev.target"
    for side, file in enumerate(files):
        file.write_text("".join(f"{pair[side]}\n" for pair in kept), "utf-8", newline="\n")
    return replace(data, parts={**data.parts, "dev": files})


def measured_job(
    job: Job,
    run: Path,
    texts: Sequence[tuple[str, str]],
    *,
    device: str = "auto",
    most: int = MOST,
    progress: Progress | None = None,
) -> JobResult:
    """The result of a finished training.

    Raises:
        HeadscopeError: it is not finished.
        Cancelled: `progress` wants it to stop.
    """
    translator = load_translator(run / "checkpoint", device)
    training = read_json(run / "checkpoint" / "training.json")
    return JobResult(
        name=job.name,
        positions=job.positions,
        cap=job.cap,
        seed=job.seed,
        weights=translator.weights_digest,
        tokens=training["tokens"],
        seconds=round(training["seconds"], 1),
        pairs=training["data"]["pairs"],
        data=training["data"],
        recipe=training["recipe"],
        versions={"headscope": headscope.__version__, "torch": torch.__version__, "python": platform.python_version()}
        | {"device": training["device"]},
        validations=tuple(
            Validation(update=row["step"], nll=row["nll"]) for row in read_metrics(run) if row["kind"] == "validation"
        ),
        averaged_updates=tuple(training["averaged_updates"]),
        study=length_study(translator, texts, most=most, progress=progress),
    )
