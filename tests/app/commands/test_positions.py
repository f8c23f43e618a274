"""`headscope positions`."""

import csv
import json
from functools import partial

import pytest

from headscope.analysis.positions import study as study_module
from headscope.analysis.positions.study import LENGTHS, STUDY, load_position_study, position_study
from headscope.analysis.records.heads import all_heads
from headscope.model.card import read_card
from tests.app.commands.measuring import copied, hurried, saved, write_data
from tests.files import tree
from tests.toys import SENTENCES, save_toy_checkpoint

QUICK = ("--sentences", 8, "--most", 2)
SHORT = (("We see.", "Wir sehen."), ("She reads.", "Sie liest."), ("How much?", "Wie viel?"))


def rows(folder, name):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(autouse=True)
def few_lengths(monkeypatch):
    """Joined up to 250 pieces, a toy writes for a minute."""
    monkeypatch.setattr(study_module, "position_study", partial(position_study, bins=LENGTHS[:2]))


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data", [*SENTENCES, *SHORT], "test")


def test_tables_and_what_is_kept(command, checkpoint, data, tmp_path):
    own, out = hurried(copied(checkpoint, tmp_path / "own")), tmp_path / "out"
    other = hurried(save_toy_checkpoint(tmp_path / "other", positions="learned", passes=8))
    found = command("positions", "--checkpoint", own, "--other", other, "--data", data, "--out", out, *QUICK)
    assert found.code == 0
    study = load_position_study(own)
    assert study
    assert study.sentences == 8
    changes = {row["change"]: row for row in rows(out, "change")}
    assert float(changes["no positions"]["loss value"]) == study.changes[1].loss.value
    assert "positions of other" in changes
    assert [row["condition"] for row in rows(out, "length")] == ["natural"] * 2 + ["joined"] * 2
    assert len(rows(out, "distance")) == len(study.heads) * len(study.distances)
    assert (rows(out, "distance")[-1]["layer"], rows(out, "distance")[-1]["head"]) == ("3", "2"), "counted from 1"
    assert {row["a"] for row in rows(out, "heads")} == {str(head) for head in all_heads(read_card(own).config)}
    assert {row["metric"] for row in rows(out, "scores")} == {"BLEU", "chrF"}
    assert {row["kind"] for row in rows(out, "matching")} == {"encoder", "decoder", "cross"}
    assert rows(out, "matching")[0]["outside"] == ""  # without a null nothing is said
    assert str(own / STUDY) in found.err
    again = command("positions", "--checkpoint", own, "--data", data, "--out", out, *QUICK)
    assert again.refuses("is there already")


@pytest.mark.parametrize("missing", ["--checkpoint", "--data", "--out"])
def test_what_is_needed(command, missing):
    given = {"--checkpoint": "x", "--data": "y", "--out": "z"}
    arguments = [part for option in given.items() if option[0] != missing for part in option]
    assert command("positions", *arguments).refuses(f"{missing} is missing")


def test_what_does_not_fit(command, checkpoint, reverser, data, tmp_path):
    own = copied(checkpoint, tmp_path / "own")
    before = tree(own)
    common = ("positions", "--data", data, "--out", tmp_path / "out", *QUICK)
    assert command(*common, "--checkpoint", own, "--null", own).refuses("give --other too")
    letters = saved(reverser, tmp_path / "letters")
    assert command(*common, "--checkpoint", own, "--other", letters).refuses("own translates en-de, letters ab-ba")
    assert not (tmp_path / "out").exists()
    assert tree(own) == before


def test_the_list_of_the_experiment(command, tmp_path):
    out = tmp_path / "out"
    common = ("positions", "experiment", "--data", tmp_path, "--out", out)
    listed = command(*common, "--list", "--seeds", 1, "--scheme", "rotary")
    assert [line.split() for line in listed.lines] == [
        ["sinusoidal-cap8-seed1", "waiting"],
        ["learned-cap8-seed1", "waiting"],
        ["sinusoidal-full-seed1", "waiting"],
        ["learned-full-seed1", "waiting"],
        ["rotary-cap8-seed1", "waiting"],
    ]
    (out / "learned-cap8-seed1").mkdir(parents=True)
    status = {"state": "stopped", "step": 1200, "steps": 3500}
    (out / "learned-cap8-seed1" / "status.json").write_text(json.dumps(status), "utf-8")
    assert "stopped, update 1,200 of 3,500" in command(*common, "--list", "--no-schemes").lines[1]
    assert command(*common, "--scheme", "learned").refuses("--scheme learned: choose from rotary")
    assert command(*common, "--scheme", "t5", "--no-schemes").refuses("exclude each other")
    assert command(*common).refuses("has no part 'train'")
