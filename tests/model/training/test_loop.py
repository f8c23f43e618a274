"""The course of a run: what observers see, when it ends, and what it leaves."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from headscope.model.card import read_card
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer
from headscope.model.training.observer import TrainingObserver, UpdateMetrics, ValidationMetrics
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory, read_metrics, read_status
from headscope.model.training.snapshots import saved_weights
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator
from tests.model.training.runs import StopAt, assert_same, contents
from tests.training_toys import write_copying

Toy = Callable[..., Recipe]


def test_updates_across_epochs_and_accumulation_resume_too(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(steps=8, accumulate=5, batch_tokens=300, validate_every=4)
    train(recipe, copying, tmp_path / "whole", device="cpu")
    train(recipe, copying, tmp_path / "parts", device="cpu", progress=StopAt(5, 8))
    train(recipe, copying, tmp_path / "parts", device="cpu")
    assert contents(tmp_path / "whole")[1]["epoch"] >= 1
    assert_same(tmp_path / "whole", tmp_path / "parts")


def test_a_stop_file_stops(toy: Toy, copying: PreparedData, tmp_path: Path):
    class Stop(TrainingObserver):
        def on_update(self, step: int, model: Transformer, metrics: UpdateMetrics) -> None:
            if step == 2:
                (tmp_path / "run" / "stop").touch()

    outcome = train(toy(), copying, tmp_path / "run", device="cpu", observers=[Stop()])
    assert (outcome.state, outcome.step) == ("stopped", 2)


def test_what_a_run_leaves(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(dev_lines=4)
    outcome = train(recipe, copying, tmp_path / "run", device="cpu", command="headscope train …")
    run = RunDirectory(tmp_path / "run")
    assert outcome.checkpoint == run.checkpoint
    assert [step for step, _ in saved_weights(run.snapshots)] == [0, 1, 6]
    assert [step for step, _ in saved_weights(run.recent)] == [4, 6]

    rows = read_metrics(run.path)
    assert [row["step"] for row in rows if row["kind"] == "update"] == [1, 2, 3, 4, 5, 6]
    assert [row["step"] for row in rows if row["kind"] == "validation"] == [2, 4, 6]
    updates = [row for row in rows if row["kind"] == "update"]
    for row in updates:
        assert 0 <= row["padding"] < 1
        assert row["tokens_per_second"] > 0
        assert row["learning_rate"] == pytest.approx(16**-0.5 * row["step"] * 20**-1.5)
    assert updates[0]["nll"] == pytest.approx(math.log(300), abs=1)
    assert [row["flops"] for row in updates] == sorted(row["flops"] for row in updates)
    assert all(row["bleu"] is not None for row in rows if row["kind"] == "validation")

    card = read_card(run.checkpoint)
    assert card.languages == ("source", "target")
    assert card.config.target_vocabulary == 300
    # So short a run has not come to rest: its last weights are better than a mean of them with earlier ones.
    assert [mean["updates"] for mean in card.training["means_tried"]] == [[4, 6], [6]]
    assert card.training["averaged_updates"] == [6]
    assert card.training["averaged_nll"] == [next(row["nll"] for row in rows[::-1] if row["kind"] == "validation")]
    assert card.training["command"] == "headscope train …"
    assert card.training["recipe"]["steps"] == 6
    assert card.scores["dev"]["nll"] > 0
    assert str(tmp_path) not in "".join(p.read_text() for p in run.checkpoint.glob("*.json*"))


def test_observers_see_every_event_and_change_nothing(toy: Toy, copying: PreparedData, tmp_path: Path):
    seen = []

    class Watch(TrainingObserver):
        def on_update(self, step: int, model: Transformer, metrics: UpdateMetrics) -> None:
            assert model.training
            seen.append(("update", step, round(metrics.loss, 2)))

        def on_validation(self, step: int, model: Transformer, metrics: ValidationMetrics) -> None:
            assert model.training
            seen.append(("validation", step, metrics.best))

        def on_snapshot(self, step: int, model: Transformer, file: Path) -> None:
            weights = load_file(file)["source_embedding.weight"]
            seen.append(("snapshot", step, torch.equal(weights, model.source_embedding.weight.half())))

    train(toy(), copying, tmp_path / "watched", device="cpu", observers=[Watch()])
    train(toy(), copying, tmp_path / "alone", device="cpu")
    assert [event[:2] for event in seen] == [
        ("snapshot", 0), ("update", 1), ("snapshot", 1), ("update", 2), ("validation", 2), ("update", 3),
        ("update", 4), ("validation", 4), ("update", 5), ("update", 6), ("snapshot", 6), ("validation", 6),
    ]  # fmt: skip
    assert all(event[2] is True for event in seen if event[0] == "snapshot")
    assert_same(tmp_path / "watched", tmp_path / "alone")


def test_patience_ends_a_run_that_learns_nothing(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(steps=50, patience=2, schedule={"kind": "noam", "warmup": 20, "factor": 1e-30})
    outcome = train(recipe, copying, tmp_path / "run", device="cpu")
    assert (outcome.state, outcome.step) == ("finished", 6)
    assert [row["best"] for row in read_metrics(tmp_path / "run") if row["kind"] == "validation"] == [
        True,
        False,
        False,
    ]
    # Going on does not forget that patience has run out.
    assert train(recipe, copying, tmp_path / "run", device="cpu").step == 6


def test_a_run_past_its_best_ships_the_best(toy: Toy, tmp_path: Path):
    """Twelve sentences are soon learned by heart: the loss on others falls, and then rises."""
    data = write_copying(tmp_path / "data", train=12, dev=8, longest=6)
    recipe = toy(
        steps=200,
        patience=4,
        average_last=3,
        validate_every=5,
        schedule={"kind": "inverse-square-root", "warmup": 4, "peak": 0.03},
    )
    outcome = train(recipe, data, tmp_path / "run", device="cpu")
    losses = {row["step"]: row["nll"] for row in read_metrics(tmp_path / "run") if row["kind"] == "validation"}
    best = min(losses, key=losses.__getitem__)
    last = sorted(losses)[-3:]
    assert best not in last  # patience ran out, and the last three are all worse
    assert outcome.checkpoint is not None
    training = read_card(outcome.checkpoint).training
    tried = {tuple(mean["updates"]): mean["nll"] for mean in training["means_tried"]}
    assert list(tried) == [(best - 5, best, best + 5), tuple(last), (best,)]
    assert tried[(best,)] == pytest.approx(losses[best], abs=1e-9)
    assert tried[tuple(training["averaged_updates"])] == min(tried.values()) <= losses[best] < tried[tuple(last)]
    assert training["averaged_nll"] == [losses[step] for step in training["averaged_updates"]]

    scored = load_translator(outcome.checkpoint, "cpu").score(data.read("dev").pairs)
    shipped = -sum(each.total for each in scored) / sum(len(each.log_probs) for each in scored)
    assert shipped == pytest.approx(min(tried.values()), abs=2e-3)  # the checkpoint is fp16

    # Stopped past its best, and gone on.
    train(recipe, data, tmp_path / "parts", device="cpu", progress=StopAt(best + 7, 200))
    again = train(recipe, data, tmp_path / "parts", device="cpu")
    assert_same(tmp_path / "run", tmp_path / "parts")
    assert again.checkpoint is not None
    for name in ("model.safetensors", "scores.json"):
        assert (again.checkpoint / name).read_bytes() == (outcome.checkpoint / name).read_bytes()


def test_divergence_fails_with_advice_and_keeps_the_last_state(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(steps=50, clip=0.0, schedule={"kind": "inverse-square-root", "warmup": 1, "peak": 1e30})
    with pytest.raises(HeadscopeError, match="diverged"):
        train(recipe, copying, tmp_path / "run", device="cpu")
    status = read_status(tmp_path / "run")
    assert status.state == "failed"
    assert "lower learning rate" in status.message
