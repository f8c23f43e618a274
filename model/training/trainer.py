"""The course of a training run: updates, reports, validations, snapshots; stopping and going on; finishing."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from model.batching import Batch
from model.card import POSITIONS, SCORES, TRAINING, Card
from model.checkpoint import save_checkpoint
from model.datasets import PreparedData
from model.device import choose_device
from model.progress import Cancelled, Progress, Silent
from model.training.disk import Disk
from model.training.flops import update_flops
from model.training.material import Material, gather
from model.training.meter import Meter
from model.training.observer import TrainingObserver, ValidationMetrics
from model.training.provenance import Provenance, check_resumable
from model.training.recipe import Recipe
from model.training.run_directory import RunDirectory
from model.training.snapshots import average_into, keep_last, remove_after, save_weights, saved_weights, snapshot_steps
from model.training.state import Counters, PositionCounts, load_state, save_state
from model.training.update import Learner, Objective
from model.training.validation import measure_loss, measure_translation
from model.transformer import Transformer
from model.translator import Translator


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call of `train` ended."""

    state: Literal["finished", "stopped"]
    step: int
    checkpoint: Path | None
    """The finished model; None: the run was stopped, and goes on when `train` is called again."""


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
    disk: Disk | None = None,
) -> Outcome:
    """Train a model in a run folder, or go on with the run that is there.

    Stops when `progress` raises Cancelled or somebody touches `stop` in the folder: the state is saved, and a later
    call goes on from there. On a CPU with the same number of threads and the same torch it goes on bit by bit as if it
    had not been stopped. Torch's global random generators are seeded and used.

    Args:
        device: auto, cpu or cuda.
        skip_bad_lines: leave out and count unusable lines of the training text instead of raising.
        command: how the run was started, for the record in the checkpoint.

    Raises:
        HeadscopeError: the folder is in use or holds another run, the text is unusable, or the training diverged.
    """
    chosen, progress = choose_device(device), progress or Silent()
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    run, made_here = RunDirectory(folder, disk), not folder.exists()
    with run.held():
        before = run.status
        run.set_status("starting", steps=recipe.steps)
        try:
            material = gather(recipe, data, run, skip_bad_lines=skip_bad_lines, progress=progress)
            training = _Training(recipe, material, run, chosen, command, progress, observers)
            training.restore()
        except Cancelled:
            run.set_status("stopped")
            return Outcome("stopped", before.step, None)
        except Exception as error:
            if made_here:
                shutil.rmtree(folder)
            elif before.state == "starting":
                run.set_status("failed", message=str(error))
            else:
                run.restore_status(before)
            raise
        return training.run_on(finished=before.state == "finished")


class _Training:
    """One call of `train`, after everything it needs was found."""

    def __init__(
        self,
        recipe: Recipe,
        material: Material,
        run: RunDirectory,
        device: torch.device,
        command: str,
        progress: Progress,
        observers: Sequence[TrainingObserver],
    ) -> None:
        self.recipe, self.material, self.run, self.progress, self.observers = recipe, material, run, progress, observers
        self.provenance = Provenance.now(recipe, material, device.type, command)
        torch.manual_seed(recipe.seed)
        config = recipe.model_for(material.vocabulary.size("target"))
        self.model = Transformer(config).to(device)
        # From here on the random numbers do not depend on how many the initial values took.
        torch.manual_seed(recipe.seed)
        self.objective = Objective(self.model, smoothing=recipe.label_smoothing)
        self.learner = Learner(
            self.objective, recipe.schedule.at(config.d_model), clip=recipe.clip, precision=recipe.precision
        )
        self.notes = list(material.notes)
        self.counters, self.positions = Counters(), PositionCounts()
        self.snapshot_steps = snapshot_steps(recipe.steps, recipe.snapshots)
        self.meter = Meter()

    def restore(self) -> None:
        """Take up the state that the run was left in, if it was left in any.

        Raises:
            HeadscopeError: it is another run, or its state is broken.
        """
        if self.run.state.exists():
            notes = check_resumable(self.run, self.provenance)
            self.counters, self.positions = load_state(self.run.state, self.model, self.learner.optimiser)
            self.notes = [*self.notes, *notes]

    def run_on(self, *, finished: bool) -> Outcome:
        """Start or go on, train, finish. `finished`: an earlier call came to the end."""
        try:
            self._begin()
            if finished and not self._more_to_do():
                self._note("the run was finished already; with more steps it goes on")
                self.run.set_status("finished")
                return Outcome("finished", self.counters.step, self.run.checkpoint)
            self._loop()
            return self._stop() if self._more_to_do() else self._finish()
        except Cancelled:
            return self._stop()
        except Exception as error:
            self.run.log(f"failed: {type(error).__name__}: {error}")
            self.run.set_status("failed", step=self.counters.step, message=str(error))
            raise

    def _begin(self) -> None:
        """Bring the folder into line with the state, and say what is going on."""
        run, step = self.run, self.counters.step
        run.write_json(run.about, asdict(self.provenance))
        run.cut_rows(step)
        for folder in (run.snapshots, run.recent):
            remove_after(run.disk, folder, step)
        parameters = sum(p.numel() for p in self.model.parameters())
        run.log(f"{'goes on' if step else 'starts'} at update {step}; {parameters:,} parameters")
        for text in self.notes:
            self._note(text)
        run.set_status("running", step=step)
        if step == 0:
            self._snapshot()

    def _more_to_do(self) -> bool:
        out_of_patience = 0 < self.recipe.patience <= self.counters.stale
        return self.counters.step < self.recipe.steps and not out_of_patience

    def _loop(self) -> None:
        """Updates until the end, or until `stop` is touched."""
        recipe, counters = self.recipe, self.counters
        self.model.train()
        self.progress.update(counters.step, recipe.steps)
        while self._more_to_do() and not self.run.stop_requested:
            self._update()
            validate = counters.step == recipe.steps or counters.step % recipe.validate_every == 0
            # Before the state is saved, so that no row covers updates on both sides of a resumption.
            if validate or counters.step % recipe.log_every == 0:
                self._report()
            if counters.step in self.snapshot_steps:
                self._snapshot()
            if validate:
                self._validate()
            self.progress.update(counters.step, recipe.steps)

    def _update(self) -> None:
        counters, began = self.counters, time.perf_counter()
        batches = [self._next_batch() for _ in range(self.recipe.accumulate)]
        result = self.learner.update(counters.step + 1, batches)
        counters.step += 1
        for batch in batches:
            self.positions.add(batch.source_mask, batch.target_mask)
            counters.flops += update_flops(
                self.model.config,
                rows=len(batch.source),
                source=batch.source.shape[1],
                target=batch.target_out.shape[1],
                real=batch.target_tokens,
            )
        seconds = time.perf_counter() - began
        counters.tokens += result.tokens
        counters.seconds += seconds
        self.meter.add(result, batches, seconds)

    def _next_batch(self) -> Batch:
        counters, data = self.counters, self.material.train
        if counters.batch == data.count(counters.epoch):
            counters.epoch, counters.batch = counters.epoch + 1, 0
        counters.batch += 1
        return data.batch(counters.epoch, counters.batch - 1)

    def _report(self) -> None:
        """A row for the updates since the last one."""
        metrics = self.meter.read(self.counters)
        self.meter = Meter()
        self._row("update", asdict(metrics))
        self.run.set_status("running", step=self.counters.step)
        for observer in self.observers:
            observer.on_update(self.counters.step, self.model, metrics)

    def _validate(self) -> None:
        counters, run = self.counters, self.run
        metrics = self._measure(counters.best)
        if metrics.best:
            counters.best, counters.stale = metrics.nll, 0
        else:
            counters.stale += 1
        self._row("validation", asdict(metrics))
        save_weights(run.disk, run.recent, counters.step, self.model, torch.float32)
        self._save()
        keep_last(run.disk, run.recent, self.recipe.average_last)
        run.log(f"update {counters.step}: development loss {metrics.nll:.4f}, BLEU {metrics.bleu}, chrF {metrics.chrf}")
        for observer in self.observers:
            observer.on_validation(counters.step, self.model, metrics)

    def _measure(self, best: float | None) -> ValidationMetrics:
        material, precision = self.material, self.recipe.precision
        loss = measure_loss(self.objective, list(material.dev_batches()), precision)
        bleu = chrf = None
        if material.dev_pairs:
            card = Card(self.run.path, self.run.path.name, self.model.config, material.languages)
            translator = Translator(self.model, material.vocabulary, card)
            bleu, chrf = measure_translation(translator, material.dev_pairs, precision)
        return ValidationMetrics(
            nll=loss.nll, loss=loss.loss, bleu=bleu, chrf=chrf, best=best is None or loss.nll < best
        )

    def _snapshot(self) -> None:
        step, run = self.counters.step, self.run
        file = save_weights(run.disk, run.snapshots, step, self.model, torch.float16)
        for observer in self.observers:
            observer.on_snapshot(step, self.model, file)

    def _save(self) -> None:
        save_state(self.run.disk, self.run.state, self.model, self.learner.optimiser, self.counters, self.positions)

    def _stop(self) -> Outcome:
        step = self.counters.step
        if self.meter.updates:
            self._report()
        self._save()
        self.run.set_status("stopped", step=step)
        self.run.log(f"stopped after update {step}; the state is saved")
        return Outcome("stopped", step, None)

    def _finish(self) -> Outcome:
        """Average the last weights, measure them, and write the checkpoint."""
        run, step = self.run, self.counters.step
        if step not in dict(saved_weights(run.recent)):
            self._validate()
        averaged = average_into(self.model, run.recent, self.recipe.average_last)
        measured = self._measure(None)
        counts = {"source": self.positions.source.tolist(), "target": self.positions.target.tolist()}
        scores: dict[str, Any] = {
            "dev": {"nll": measured.nll, "bleu": measured.bleu, "chrf": measured.chrf, "search": "greedy"}
        }
        scores["dev"]["lines_translated"] = len(self.material.dev_pairs)
        training = asdict(self.provenance) | {
            "updates": step,
            "averaged_updates": averaged,
            "tokens": self.counters.tokens,
            "flops": self.counters.flops,
            "seconds": self.counters.seconds,
        }
        save_checkpoint(
            run.checkpoint,
            self.model,
            self.material.vocabulary,
            self.material.languages,
            records={TRAINING: training, SCORES: scores, POSITIONS: counts},
        )
        run.disk.replace(run.checkpoint / "metrics.jsonl", lambda file: file.write_bytes(run.metrics.read_bytes()))
        run.set_status("finished", step=step)
        run.log(f"finished after update {step}: development loss {measured.nll:.4f} with the mean of {averaged}")
        return Outcome("finished", step, run.checkpoint)

    def _row(self, kind: str, values: dict[str, Any]) -> None:
        self.run.add_row({"kind": kind, "step": self.counters.step, "time": time.time()} | values)

    def _note(self, text: str) -> None:
        self.run.log(text)
        for observer in self.observers:
            observer.on_note(text)
