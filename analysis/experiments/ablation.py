"""Ablations: models that differ from a base in one thing, trained with equal updates and tokens, and their results.

A job is trained in a folder of its own by the product's trainer, which goes on where it was left, then translates the
development and the test lines. `runner` says what becomes of results.
"""

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

import headscope
from headscope.analysis.corpus.evaluation import Score, evaluate
from headscope.analysis.experiments.grids import AblationBudget, AblationJob
from headscope.analysis.experiments.runner import RESULTS, Frozen, OfJob, Results, work_off
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.progress import Progress
from headscope.model.training.observer import TrainingObserver
from headscope.model.training.recipe import CHANGEABLE
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator

FORMAT = 1
COMMAND = "headscope ablate"
PARTS = ("dev", "test")
"""Translated and scored; those of them that the data has."""
UNTOUCHED = CHANGEABLE - {"steps"}
"""What may differ between the trainings of a grid: nothing of this enters the updates."""


class PartScore(Frozen):
    """How good the translations of a part are."""

    part: str
    sentences: int
    bleu: float
    bleu_interval: float | None
    """Half the width of the 95 % interval over sentences: another text of this kind, not another training."""
    chrf: float
    chrf_interval: float | None
    signature: str
    """Of BLEU."""
    length_ratio: float
    """Words of the translations over those of the references."""
    cut_off: int
    """Translations that had to be ended at the greatest length."""
    seconds: float


class AblationResult(OfJob):
    """What came of a job."""

    format: Literal[1] = 1
    row: str
    seed: int
    parameters: int
    updates: int
    tokens: int
    """Target tokens that it was trained on, end of sentence included."""
    flops: float
    """Of all updates, see `model.training.flops`."""
    seconds: float
    """Spent on updates."""
    dev_nll: float
    """Nats a target piece of the development lines, end of sentence included; the weights were chosen by it."""
    averaged_updates: tuple[int, ...]
    scores: tuple[PartScore, ...]
    data: dict[str, Any]
    """Name, languages and digest of the training text."""
    recipe: dict[str, Any]
    versions: dict[str, str]

    def score(self, part: str) -> PartScore | None:
        """That of a part, if it was measured."""
        return next((found for found in self.scores if found.part == part), None)


ABLATIONS = Results(AblationResult, FORMAT, COMMAND)


def load_ablations(out: Path) -> tuple[AblationResult, ...]:
    """All results of the folder of `headscope ablate`, of whatever grids; none where there are none.

    Raises:
        HeadscopeError: a file is damaged, or of another format.
    """
    return ABLATIONS.all(out / RESULTS)


@dataclass(frozen=True, slots=True)
class Worked:
    """How far a list of jobs has come."""

    finished: bool
    """Whether it was worked through; else it was stopped."""
    failed: Mapping[str, str]
    """Names of jobs that ended with an error, and what it said; the others were gone on with."""


def run_ablation(
    data: PreparedData,
    out: Path,
    jobs: Sequence[AblationJob],
    budget: AblationBudget,
    *,
    device: str = "auto",
    observers: Sequence[TrainingObserver] = (),
    progress: Progress | None = None,
    done: Callable[[AblationJob], None] = lambda _: None,
) -> Worked:
    """Work off what is left of a grid, one job after the other.

    Args:
        progress: told of every training by itself, and of every evaluation.
        done: told of each job that was done.

    Raises:
        HeadscopeError: a recipe cannot be, or the folder has results of other settings or of another text.
        Cancelled: `progress` wants it to stop while a model translates; a training that is stopped is left and saved.
    """
    require_same_settings(out, jobs, budget)
    failed: dict[str, str] = {}
    finished = True
    for job in jobs:
        try:
            finished = work_off(
                [job],
                out,
                ABLATIONS,
                lambda job: ablated(data, out, job, budget, device=device, observers=observers, progress=progress),
                done=done,
            )
        except HeadscopeError as error:
            failed[job.name] = str(error)
        if not finished:
            break
    return Worked(finished, failed)


def require_same_settings(out: Path, jobs: Sequence[AblationJob], budget: AblationBudget) -> None:
    """Check that what is in a folder of results already belongs to the same grid: same recipe, same budget.

    Raises:
        HeadscopeError: it does not; or a recipe cannot be.
    """
    done = ABLATIONS.load(out / RESULTS, jobs)
    for job in jobs:
        wanted = job.recipe(budget).model_dump(mode="json")
        for key, value in wanted.items():
            if job in done and key not in UNTOUCHED and done[job].recipe.get(key) != value:
                before = done[job].recipe.get(key)
                raise HeadscopeError(
                    f"{out / RESULTS / job.name}.json was made with {key} = {before!r}, not {value!r}: go on with the "
                    "same settings, or choose another --out"
                )


def ablated(
    data: PreparedData,
    out: Path,
    job: AblationJob,
    budget: AblationBudget,
    *,
    device: str = "auto",
    observers: Sequence[TrainingObserver] = (),
    progress: Progress | None = None,
) -> AblationResult | None:
    """The result of a job, trained from its start or from where it was left; None: it was stopped.

    Raises:
        HeadscopeError: it cannot be trained, or has diverged.
        Cancelled: `progress` wants it to stop while the model translates.
    """
    run, recipe = out / job.name, job.recipe(budget)
    outcome = train(recipe, data, run, device=device, command=COMMAND, progress=progress, observers=observers)
    if outcome.checkpoint is None:
        return None
    translator = load_translator(outcome.checkpoint, device)
    training = read_json(outcome.checkpoint / "training.json")
    scores = read_json(outcome.checkpoint / "scores.json")
    measured = []
    for part in (part for part in PARTS if part in data.parts):
        found = evaluate(translator, data.read(part).pairs, precision=recipe.precision, progress=progress)
        measured.append(
            PartScore(
                part=part,
                sentences=found.sentences,
                bleu=found.bleu.value,
                bleu_interval=_interval(found.bleu),
                chrf=found.chrf.value,
                chrf_interval=_interval(found.chrf),
                signature=found.bleu.signature,
                length_ratio=found.length_ratio,
                cut_off=sum(not translation.finished for translation in found.translations),
                seconds=round(found.seconds, 1),
            )
        )
    versions = {"headscope": headscope.__version__, "torch": torch.__version__, "python": platform.python_version()}
    return AblationResult(
        row=job.row,
        seed=job.seed,
        weights=translator.weights_digest,
        parameters=sum(parameter.numel() for parameter in translator.model.parameters()),
        updates=training["updates"],
        tokens=training["tokens"],
        flops=training["flops"],
        seconds=round(training["seconds"], 1),
        dev_nll=scores["dev"]["nll"],
        averaged_updates=tuple(training["averaged_updates"]),
        scores=tuple(measured),
        data=training["data"],
        recipe=recipe.model_dump(mode="json"),
        versions=versions | {"device": training["device"]},
    )


def _interval(score: Score) -> float | None:
    return None if score.interval is None else round(score.interval, 3)
