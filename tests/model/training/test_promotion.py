"""Checkpoints of runs, finished and not."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from headscope.model.card import read_card
from headscope.model.checkpoint import read_weights
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.training.promotion import kept_weights, make_checkpoint
from headscope.model.training.recipe import Recipe
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator
from tests.model.training.runs import StopAt


@pytest.fixture
def stopped(toy: Callable[..., Recipe], copying: PreparedData, tmp_path: Path) -> Path:
    """A run that was stopped after two validations."""
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(5, 6))
    return tmp_path / "run"


def test_a_mean_of_kept_weights_is_a_checkpoint(stopped: Path, tmp_path: Path):
    assert list(kept_weights(stopped)) == [0, 1, 2, 4]
    make_checkpoint(stopped, tmp_path / "mean", steps=[2, 4])
    found = load_translator(tmp_path / "mean", "cpu")
    parts = [read_weights(stopped / "recent" / f"step-000000{step}.safetensors") for step in (2, 4)]
    for name, weights in read_weights(tmp_path / "mean" / "model.safetensors").items():
        mean = ((parts[0][name].double() + parts[1][name].double()) / 2).half().float()
        assert torch.equal(weights, mean), name
    training = read_card(tmp_path / "mean").training
    assert (training["averaged_updates"], training["updates"]) == ([2, 4], 4)
    assert training["data"]["fingerprint"]
    assert training["versions"]["headscope"]
    found.translate(["mh"])


def test_what_has_not_finished_needs_updates_that_were_kept(stopped: Path, tmp_path: Path):
    with pytest.raises(HeadscopeError, match="has not finished"):
        make_checkpoint(stopped, tmp_path / "new")
    with pytest.raises(HeadscopeError, match="no weights of update 3: choose among 0, 1, 2, 4"):
        make_checkpoint(stopped, tmp_path / "new", steps=[3])
    assert not (tmp_path / "new").exists()


def test_a_finished_one_is_copied_and_nothing_replaced(toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu")
    make_checkpoint(tmp_path / "run", tmp_path / "new")
    assert (tmp_path / "new" / "model.safetensors").read_bytes() == (
        tmp_path / "run" / "checkpoint" / "model.safetensors"
    ).read_bytes()
    for steps in ([], [4]):
        with pytest.raises(HeadscopeError, match="is there already"):
            make_checkpoint(tmp_path / "run", tmp_path / "new", steps=steps)
