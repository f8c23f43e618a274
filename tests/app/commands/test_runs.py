"""Runs on the command line."""

import pytest

from headscope.model.card import read_card
from headscope.model.training.recipe import parse_recipe
from headscope.model.training.trainer import train
from tests.app.training import write_run, write_text
from tests.training_toys import toy_fields


@pytest.fixture
def folder(tmp_path):
    write_run(tmp_path / "runs", "a", "stopped")
    write_run(tmp_path / "runs", "b", "failed", message="no luck")
    return tmp_path / "runs"


def test_they_are_listed(command, folder):
    found = command("runs", "--runs", folder)
    assert found.code == 0
    assert sorted(found.lines) == ["a  stopped  update 30 of 60", "b  crashed  update 30 of 60  no luck"]
    assert command("runs", "--runs", folder / "none").refuses("there is no run in")


def test_they_are_compared_and_exported_as_csv(command, folder, tmp_path):
    head, *rows = command("runs", "compare", "--runs", folder).lines
    assert head.startswith("run,state,updates,best_at,dev_nll,bleu")
    assert len(rows) == 2
    assert len(command("runs", "compare", "a", "--runs", folder).lines) == 2
    out = tmp_path / "a.csv"
    assert command("runs", "export", "a", "--runs", folder, "--out", out).code == 0
    assert len(out.read_text().splitlines()) == 1 + 30 + 3
    assert command("runs", "export", "../a", "--runs", folder).refuses("cannot name a run")


def test_a_checkpoint_of_one(command, tmp_path):
    train(parse_recipe(toy_fields()), write_text(tmp_path), tmp_path / "runs" / "mine", device="cpu")
    place = ("--runs", tmp_path / "runs", "--out")
    assert command("runs", "checkpoint", "mine", *place, tmp_path / "whole").code == 0
    assert command("runs", "checkpoint", "mine", "--step", 4, "--step", 6, *place, tmp_path / "mean").code == 0
    assert read_card(tmp_path / "mean").training["averaged_updates"] == [4, 6]
    assert command("runs", "checkpoint", "mine", "--step", 3, *place, tmp_path / "new").refuses("update 3")
