"""The training loop: updates, reports, validations, snapshots; stopping and finishing."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from headscope.model.card import POSITIONS, SCORES, TRAINING, Card
from headscope.model.checkpoint import save_checkpoint
from headscope.model.data.batching import Batch
from headscope.model.network.architectures import build
from headscope.model.progress import Cancelled, Progress
from headscope.model.training.flops import update_flops
from headscope.model.training.meter import Meter
from headscope.model.training.observer import TrainingObserver, ValidationMetrics
from headscope.model.training.process_group import ProcessGroup
from headscope.model.training.provenance import Provenance, check_resumable
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.snapshots import (
    keep_candidates,
    remove_after,
    save_weights,
    saved_weights,
    snapshot_steps,
    take_best,
)
from headscope.model.training.state import Counters, PositionCounts, load_state, save_state
from headscope.model.training.step import Objective, TrainStep
from headscope.model.training.training_data import TrainingData
from headscope.model.training.validation import DevLoss, measure_loss, measure_translation
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a call of `train` ended."""

    state: Literal["finished", "stopped"]
    step: int
    checkpoint: Path | None
    """The finished model; None: the run was stopped, and goes on when `train` is called again."""


class TrainingLoop:
    """One call of `train`, after everything it needs was found."""

    def __init__(
        self,
        recipe: Recipe,
        training_data: TrainingData,
        run: RunDirectory,
        device: torch.device,
        group: ProcessGroup,
        command: str,
        progress: Progress,
        observers: Sequence[TrainingObserver],
    ) -> None:
        self.recipe, self.training_data, self.run, self.progress, self.observers = (
            recipe,
            training_data,
            run,
            progress,
            observers,
        )
        self.group = group
        self.provenance = Provenance.now(recipe, training_data, device.type, command, group.size)
        torch.manual_seed(recipe.seed)
        config = recipe.model_for(training_data.vocabulary.size("target"))
        self.model = build(config).to(device)
        # From here on the random numbers do not depend on how many the initial values took.
        torch.manual_seed(recipe.seed)
        self.objective = Objective(self.model, smoothing=recipe.label_smoothing)
        if recipe.compile:
            self.objective.compile(dynamic=True)
        self.train_step = TrainStep(
            self.objective,
            recipe.schedule.at(config.d_model),
            clip=recipe.clip,
            precision=recipe.precision,
            group=group,
        )
        self.notes = list(training_data.notes)
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
            self.counters, self.positions = load_state(self.run.state, self.model, self.train_step.optimiser)
            self.notes = [*self.notes, *notes]

    def run_on(self, *, finished: bool) -> Outcome:
        """Start or go on, train, finish. `finished`: an earlier call came to the end.

        Every process takes part in the updates; what touches the folder is done by the first.
        """
        first = self.group.from_first
        try:
            first(self._begin)
            if finished and not self._more_to_do():
                return first(self._leave)
            stopped = self._loop()
            return first(self._stop if stopped else self._finish)
        except Cancelled:
            return first(self._stop)
        except Exception as error:
            if self.group.leads:
                # In this order: on a full disk the log may find no room.
                self.run.set_status("failed", step=self.counters.step, message=str(error))
                self.run.log(f"failed: {type(error).__name__}: {error}")
            raise

    def _begin(self) -> None:
        """Bring the folder into line with the state, and say what is going on."""
        run, step = self.run, self.counters.step
        run.write_json(run.about, asdict(self.provenance))
        run.cut_rows(step)
        for folder in (run.snapshots, run.recent):
            remove_after(run.writer, folder, step)
        parameters = sum(p.numel() for p in self.model.parameters())
        run.log(f"{'goes on' if step else 'starts'} at update {step}; {parameters:,} parameters")
        for text in self.notes:
            self._note(text)
        run.set_status("running", step=step)
        if step == 0:
            self._snapshot()

    def _leave(self) -> Outcome:
        """There was nothing to do."""
        self._note("the run was finished already; with more steps it goes on")
        self.run.set_status("finished")
        return Outcome("finished", self.counters.step, self.run.checkpoint)

    def _more_to_do(self) -> bool:
        out_of_patience = 0 < self.recipe.patience <= self.counters.stale
        return self.counters.step < self.recipe.steps and not out_of_patience

    def _told_to_stop(self) -> bool:
        """Whether `progress` in any process, or the file `stop`, asks for it."""
        told = self.run.stop_requested
        try:
            self.progress.update(self.counters.step, self.recipe.steps)
        except Cancelled:
            told = True
        return self.group.any(told)

    def _loop(self) -> bool:
        """Updates until the end. Returns whether it was told to stop before."""
        recipe, counters, first = self.recipe, self.counters, self.group.from_first
        self.model.train()
        while not (stopped := self._told_to_stop()) and self._more_to_do():
            self._update()
            validate = counters.step == recipe.steps or counters.step % recipe.validate_every == 0
            # Before the state is saved, so that no row covers updates on both sides of a resumption.
            if validate or counters.step % recipe.log_every == 0:
                first(self._report)
            if counters.step in self.snapshot_steps:
                first(self._snapshot)
            if validate:
                counters.best, counters.stale = first(self._validate)
        return stopped

    def _update(self) -> None:
        counters, began = self.counters, time.perf_counter()
        self.group.seed(self.recipe.seed, counters.step)
        batches = [self._next_batch() for _ in range(self.recipe.accumulate)]
        result = self.train_step.update(counters.step + 1, batches)
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
        self.meter.add(counters.step, result, batches, seconds)

    def _next_batch(self) -> Batch:
        counters, data = self.counters, self.training_data.train
        if counters.batch == data.count(counters.epoch):
            counters.epoch, counters.batch = counters.epoch + 1, 0
        counters.batch += 1
        return data.batch(counters.epoch, counters.batch - 1)

    def _report(self) -> None:
        """A row for the updates since the last one."""
        metrics = self.meter.read(self.counters, self.model.device)
        self.meter = Meter()
        self._row("update", asdict(metrics))
        self.run.set_status("running", step=self.counters.step)
        for observer in self.observers:
            observer.on_update(self.counters.step, self.model, metrics)

    def _validate(self) -> tuple[float | None, int]:
        """Measure, and save all. Returns the best loss so far and the validations since."""
        counters, run = self.counters, self.run
        metrics, texts = self._measure(counters.best)
        if metrics.best:
            counters.best, counters.stale = metrics.nll, 0
        else:
            counters.stale += 1
        self._row("validation", asdict(metrics))
        if texts:
            run.add_samples(counters.step, self.training_data.dev_pairs, texts)
        save_weights(run.writer, run.recent, counters.step, self.model, torch.float32, loss=metrics.nll)
        self._save()
        keep_candidates(run.writer, run.recent, self.recipe.average_last)
        run.log(f"update {counters.step}: development loss {metrics.nll:.4f}, BLEU {metrics.bleu}, chrF {metrics.chrf}")
        for observer in self.observers:
            observer.on_validation(counters.step, self.model, metrics)
        return counters.best, counters.stale

    def _measure(self, best: float | None) -> tuple[ValidationMetrics, list[str]]:
        """Losses and scores on the development lines, and the translations that were scored."""
        training_data, precision = self.training_data, self.recipe.precision
        loss = self._loss()
        bleu, chrf, texts = None, None, list[str]()
        if training_data.dev_pairs:
            card = Card(self.run.path, self.run.path.name, self.model.config, training_data.languages)
            translator = Translator(self.model, training_data.vocabulary, card)
            pairs = training_data.dev_pairs
            bleu, chrf, texts = measure_translation(translator, pairs, precision, training_data.bleu_tokens)
        best_yet = best is None or loss.nll < best
        return ValidationMetrics(nll=loss.nll, loss=loss.loss, bleu=bleu, chrf=chrf, best=best_yet), texts

    def _loss(self) -> DevLoss:
        return measure_loss(self.objective, list(self.training_data.dev_batches()), self.recipe.precision)

    def _snapshot(self) -> None:
        step, run = self.counters.step, self.run
        file = save_weights(run.writer, run.snapshots, step, self.model, torch.float16)
        for observer in self.observers:
            observer.on_snapshot(step, self.model, file)

    def _save(self) -> None:
        save_state(
            self.run.writer, self.run.state, self.model, self.train_step.optimiser, self.counters, self.positions
        )

    def _stop(self) -> Outcome:
        step = self.counters.step
        if self.meter.updates:
            self._report()
        self._save()
        self.run.set_status("stopped", step=step)
        self.run.log(f"stopped after update {step}; the state is saved")
        return Outcome("stopped", step, None)

    def _finish(self) -> Outcome:
        """Choose among the weights that were kept, measure those, and write the checkpoint."""
        run, step = self.run, self.counters.step
        if step not in dict(saved_weights(run.recent)):
            self._validate()
        choice = take_best(self.model, run.recent, self.recipe.average_last, lambda: self._loss().nll)
        measured, _ = self._measure(None)
        counts = {"source": self.positions.source.tolist(), "target": self.positions.target.tolist()}
        dev: dict[str, Any] = {"nll": measured.nll, "bleu": measured.bleu, "chrf": measured.chrf, "search": "greedy"}
        dev |= {
            "lines_translated": len(self.training_data.dev_pairs),
            "bleu_tokens": self.training_data.bleu_tokens.name,
        }
        training = asdict(self.provenance) | {
            "updates": step,
            "averaged_updates": list(choice.steps),
            "averaged_nll": list(choice.losses),
            "means_tried": [{"updates": list(steps), "nll": nll} for steps, nll in choice.tried.items()],
            "tokens": self.counters.tokens,
            "flops": self.counters.flops,
            "seconds": self.counters.seconds,
        }
        save_checkpoint(
            run.checkpoint,
            self.model,
            self.training_data.vocabulary,
            self.training_data.languages,
            records={TRAINING: training, SCORES: {"dev": dev}, POSITIONS: counts},
        )
        run.writer.replace(run.checkpoint / "metrics.jsonl", lambda file: file.write_bytes(run.metrics.read_bytes()))
        run.set_status("finished", step=step)
        run.log(
            f"finished after update {step}: development loss {measured.nll:.4f} with the mean of {list(choice.steps)}"
        )
        return Outcome("finished", step, run.checkpoint)

    def _row(self, kind: str, values: dict[str, Any]) -> None:
        self.run.add_row({"kind": kind, "step": self.counters.step, "time": time.time()} | values)

    def _note(self, text: str) -> None:
        self.run.log(text)
        for observer in self.observers:
            observer.on_note(text)
