"""Whole runs: what they learn, what they leave, and that stopping changes nothing."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from headscope.model.card import read_card
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory, read_metrics, read_status
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator
from tests.model.training.runs import StopAt, assert_same, contents
from tests.training_toys import write_copying

Toy = Callable[..., Recipe]


def test_a_small_model_learns_to_copy_and_its_checkpoint_translates(toy: Toy, tmp_path: Path):
    data = write_copying(tmp_path / "data", train=1000, dev=50, longest=5)
    stack = {"layers": 1, "heads": 2, "feed_forward": 64}
    recipe = toy(
        model={"preset": "tiny", "d_model": 32, "encoder": stack, "decoder": stack, "dropout": 0.0},
        schedule={"kind": "inverse-square-root", "warmup": 40, "peak": 1e-2},
        batch_tokens=400,
        steps=300,
        log_every=50,
        validate_every=30,
        average_last=3,
    )
    outcome = train(recipe, data, tmp_path / "run", device="cpu")
    assert outcome.state == "finished"
    assert outcome.checkpoint is not None
    translator = load_translator(outcome.checkpoint, "cpu")
    sources = [source for source, _ in data.read("dev").pairs]
    translations = [translation.text for translation in translator.translate(sources)]
    assert sum(a == b for a, b in zip(translations, sources, strict=True)) >= 40


def test_three_and_three_updates_are_six(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(patience=9)
    train(recipe, copying, tmp_path / "whole", device="cpu")
    stopped = train(recipe, copying, tmp_path / "parts", device="cpu", progress=StopAt(3, 6))
    assert (stopped.state, stopped.step, stopped.checkpoint) == ("stopped", 3, None)
    assert read_status(tmp_path / "parts").state == "stopped"
    torch.manual_seed(99)
    assert train(recipe, copying, tmp_path / "parts", device="cpu").state == "finished"
    assert_same(tmp_path / "whole", tmp_path / "parts")
    weights = [load_file(tmp_path / name / "checkpoint" / "model.safetensors") for name in ("whole", "parts")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_more_steps_go_on_from_a_finished_run(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(steps=6), copying, tmp_path / "whole", device="cpu")
    train(toy(steps=3), copying, tmp_path / "parts", device="cpu")
    train(toy(steps=6), copying, tmp_path / "parts", device="cpu")
    assert torch.equal(
        contents(tmp_path / "whole")[0]["model/source_embedding.weight"],
        contents(tmp_path / "parts")[0]["model/source_embedding.weight"],
    )


def test_bf16_and_learned_positions_train(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(precision="bf16", max_pieces=20, model=toy().model | {"positions": "learned", "position_table": 20})
    train(recipe, copying, tmp_path / "run", device="cpu")
    losses = [row["loss"] for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    assert all(map(math.isfinite, losses))


def test_joined_pairs_reach_further_positions(toy: Toy, copying: PreparedData, tmp_path: Path):
    longest = []
    for share in (0.0, 1.0):
        train(toy(steps=30, join_pairs=share, validate_every=30), copying, tmp_path / str(share), device="cpu")
        longest.append(read_card(tmp_path / str(share) / "checkpoint").trained_length("source"))
    assert longest[1] > longest[0]


def test_pairs_that_are_too_long_are_left_out_and_counted(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(max_pieces=5), copying, tmp_path / "run", device="cpu")
    assert "of 120 training pairs left out: more than 5 pieces on a side" in (tmp_path / "run" / "log.txt").read_text()
    assert read_card(tmp_path / "run" / "checkpoint").trained_length("source") == 5


def test_a_table_that_is_too_short_is_refused(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(model=toy().model | {"positions": "learned", "position_table": 16})
    with pytest.raises(HeadscopeError, match="max_pieces = 128 is more than the 16 learned positions"):
        train(recipe, copying, tmp_path / "run", device="cpu")


def test_a_start_that_fails_leaves_nothing(toy: Toy, copying: PreparedData, tmp_path: Path):
    with pytest.raises(HeadscopeError, match="allow more tokens"):
        train(toy(batch_tokens=3), copying, tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()
    with pytest.raises(HeadscopeError, match="no device 'tpu'"):
        train(toy(), copying, tmp_path / "run", device="tpu")
    assert not (tmp_path / "run").exists()


def test_a_launched_start_that_fails_says_so_in_its_folder(toy: Toy, copying: PreparedData, tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    run.path.mkdir()
    run.set_status("starting")
    with pytest.raises(HeadscopeError):
        train(toy(batch_tokens=3), copying, run.path, device="cpu")
    assert read_status(run.path).state == "failed"
    assert "allow more tokens" in read_status(run.path).message
    # The vocabulary that was learned then is not the one that this recipe asks for.
    train(toy(vocabulary=301), copying, run.path, device="cpu")
    assert load_vocabulary(run.vocabulary).size("target") == 301


def test_stopping_while_the_text_is_read(toy: Toy, copying: PreparedData, tmp_path: Path):
    outcome = train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(0, 120))
    assert (outcome.state, outcome.step) == ("stopped", 0)
    assert read_status(tmp_path / "run").state == "stopped"
    assert train(toy(), copying, tmp_path / "run", device="cpu").step == 6


def test_twins_differ_in_their_positions_alone(toy: Toy, copying: PreparedData, tmp_path: Path):
    for positions in ("sinusoidal", "learned"):
        recipe = toy(steps=2, model=toy().model | {"positions": positions, "position_table": 128})
        train(recipe, copying, tmp_path / positions, device="cpu")
    first, second = (
        load_file(tmp_path / p / "snapshots" / "step-0000000.safetensors") for p in ("sinusoidal", "learned")
    )
    assert second.keys() - first.keys() == {"positions.table"}
    assert all(torch.equal(first[name], second[name]) for name in first)
    (tensors, counters, _), (others, other_counters, _) = (contents(tmp_path / p) for p in ("sinusoidal", "learned"))
    assert torch.equal(tensors["random/cpu"], others["random/cpu"])
    assert torch.equal(tensors["positions/target"], others["positions/target"])
    assert counters["batch"] == other_counters["batch"]
