"""Whether what is asked for is the run that is there."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.training.observer import TrainingObserver
from headscope.model.training.provenance import versions
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory, read_status
from headscope.model.training.trainer import train
from tests.model.training.runs import StopAt
from tests.training_toys import write_copying

Toy = Callable[..., Recipe]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "started with seed = 1, not 2"),
        ({"schedule": {"kind": "noam", "warmup": 21}}, "schedule"),
        ({"label_smoothing": 0.2}, r"label_smoothing = 0\.1, not 0\.2"),
    ],
)
def test_another_recipe_is_refused(toy: Toy, copying: PreparedData, tmp_path: Path, changes: dict, message: str):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    with pytest.raises(HeadscopeError, match=message):
        train(toy(**changes), copying, tmp_path / "run", device="cpu")
    assert read_status(tmp_path / "run").state == "stopped"
    assert train(toy(), copying, tmp_path / "run", device="cpu").state == "finished"


def test_another_text_is_refused(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    other = write_copying(tmp_path / "data", train=119, dev=8, longest=6)
    with pytest.raises(HeadscopeError, match=r"not the one that .* 120 pairs"):
        train(toy(), other, tmp_path / "run", device="cpu")


def test_other_threads_go_on_and_say_that_it_is_not_exact(toy: Toy, copying: PreparedData, tmp_path: Path):
    notes = []

    class Notes(TrainingObserver):
        def on_note(self, text: str) -> None:
            notes.append(text)

    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    about = RunDirectory(tmp_path / "run").about
    about.write_text(json.dumps(json.loads(about.read_text()) | {"threads": 64}))
    assert train(toy(), copying, tmp_path / "run", device="cpu", observers=[Notes()]).state == "finished"
    assert notes == ["threads is 1, it was 64: the run goes on, but not bit by bit as it would have"]


def test_a_run_records_the_code_and_what_it_depends_on(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    about = json.loads(RunDirectory(tmp_path / "run").about.read_text())
    assert about["versions"] == versions()
    assert {"headscope", "python", "torch", "numpy", "sentencepiece", "sacrebleu"} == set(versions())
    assert about["recipe"]["seed"] == 1
    assert (about["threads"], about["device"], len(about["data"]["fingerprint"])) == (1, "cpu", 64)


def test_a_run_of_a_version_that_recorded_less_goes_on(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    run = RunDirectory(tmp_path / "run")
    about = json.loads(run.about.read_text())
    del about["versions"], about["processes"]
    run.about.write_text(json.dumps(about))
    new = ("gradient_norm", "gradient_peak", "gradient_peak_step", "memory")
    rows = [{k: v for k, v in json.loads(row).items() if k not in new} for row in run.metrics.read_text().splitlines()]
    run.metrics.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert train(toy(), copying, run.path, device="cpu").state == "finished"
