"""A run's model as it was after an update."""

import shutil

import pytest
import torch

from headscope.model.checkpoint import read_weights
from headscope.model.errors import HeadscopeError
from headscope.model.training.at_step import run_of, saved_steps, translator_at
from headscope.model.training.trainer import train


def test_a_run_gives_its_model_after_an_update_finished_or_not(copying, toy, tmp_path):
    run = tmp_path / "run"
    train(toy(), copying, run, device="cpu")
    saved = saved_steps(run)
    assert 0 in saved
    assert 6 in saved
    assert saved_steps(run / "checkpoint") == saved
    assert run_of(run / "checkpoint") == run_of(run) == run
    found = translator_at(run / "checkpoint", 6, "cpu")
    kept = read_weights(saved[6])
    for name, weights in found.model.named_parameters():
        torch.testing.assert_close(weights.detach(), kept[name], rtol=0, atol=0)
    assert found.card.name == "run@6"
    assert not found.model.training
    assert not any(weights.requires_grad for weights in found.model.parameters())
    finished = translator_at(run, 0, "cpu")
    shutil.rmtree(run / "checkpoint")
    unfinished = translator_at(run, 0, "cpu")
    assert unfinished.card.languages == finished.card.languages == (copying.source, copying.target)
    assert unfinished.model.config == finished.model.config
    assert unfinished.score([("ab", "ab")]) == finished.score([("ab", "ab")])


def test_an_update_that_is_not_kept_is_refused(copying, toy, tmp_path):
    train(toy(), copying, tmp_path / "run", device="cpu")
    with pytest.raises(HeadscopeError, match="run keeps no weights of update 5: choose one of 0, "):
        translator_at(tmp_path / "run", 5, "cpu")
    assert saved_steps(tmp_path) == {}
