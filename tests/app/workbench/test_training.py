"""Runs as a server starts them: processes of their own, in line, whatever becomes of the server."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from headscope.app.workbench import training as module
from headscope.app.workbench.training import Places, Training, devices, free_bytes
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.training.recipe import Recipe, parse_recipe
from headscope.model.training.run_directory import RunDirectory, read_metrics, read_status
from headscope.model.training.turns import read_request
from tests.app.training import write_run, write_text
from tests.training_toys import toy_fields

SECONDS = 60


def recipe(**changes) -> Recipe:
    return parse_recipe(toy_fields(**changes))


@pytest.fixture
def training(tmp_path: Path) -> Training:
    write_text(tmp_path / "data")
    return Training(Places(tmp_path / "runs", tmp_path / "data"), shipped=tmp_path / "none")


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would be started."""
    found: list[list[str]] = []

    class Process:
        def wait(self) -> int:
            return 0

    def popen(command: list[str], **options) -> Process:
        assert options["start_new_session"]
        assert options["stdin"] == subprocess.DEVNULL
        found.append(command)
        return Process()

    monkeypatch.setattr(module.subprocess, "Popen", popen)
    return found


def text(training: Training) -> Path:
    return training.texts.all()["copying"]


def until(reached, seconds: float = SECONDS) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_it_is_the_command_that_is_started(training: Training, launched: list):
    run = training.start("mine", recipe(), text(training), skip_bad_lines=True)
    (command,) = launched
    assert command[:5] == [sys.executable, "-m", "headscope", "train", "--wait"]
    assert command[-3:] == ["--device", "cpu", "--skip-bad-lines"]
    assert (run.condition, run.status.steps) == ("waiting", 6)
    assert training.recipe("mine") == recipe()
    with pytest.raises(HeadscopeError, match="there is a run 'mine' already"):
        training.start("mine", recipe(), text(training))
    with pytest.raises(HeadscopeError, match="is waiting already"):
        training.resume("mine")
    assert len(launched) == 1


def test_two_who_start_the_same_at_once(training: Training, launched: list):
    refused = []

    def start() -> None:
        try:
            training.start("mine", recipe(), text(training))
        except HeadscopeError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(launched) == 1
    assert len(refused) == 3


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", ""])
def test_no_run_is_made_elsewhere(training: Training, launched: list, name: str, tmp_path: Path):
    before = sorted(tmp_path.rglob("*"))
    for act in (lambda: training.start(name, recipe(), text(training)), lambda: training.delete(name)):
        with pytest.raises(HeadscopeError, match="cannot name a run"):
            act()
    assert not launched
    assert sorted(set(tmp_path.rglob("*")) - set(before)) in ([], [tmp_path / "runs"], [
        tmp_path / "runs", tmp_path / "runs" / ".starts.lock"
    ])  # fmt: skip


def test_a_process_that_cannot_be_made(training: Training, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module.sys, "executable", "/nowhere/python")
    with pytest.raises(HeadscopeError, match="no process could be made"):
        training.start("mine", recipe(), text(training))
    assert training.find("mine").condition == "crashed"


def test_a_run_of_a_command_names_it(training: Training, launched: list):
    directory = write_run(training.places.runs, "old", "stopped")
    (directory.path / "request.json").unlink()
    with pytest.raises(HeadscopeError, match="was not started on this page"):
        training.resume("old")


def test_texts_and_names(training: Training, tmp_path: Path):
    (tmp_path / "data" / "half").mkdir()
    assert list(training.texts.all()) == ["copying"]
    assert "tatoeba-en-de-text" in Training(training.places).texts.all()
    assert training.free_name("tiny") == "tiny-1"
    write_run(training.places.runs, "tiny-1", "stopped")
    assert training.free_name("tiny") == "tiny-2"


def test_what_was_measured_and_kept(training: Training):
    run = training.find(write_run(training.places.runs, "a", "stopped").path.name)
    assert [row["step"] for row in training.rows(run) if row["kind"] == "validation"] == [10, 20, 30]
    assert training.samples(run)[-1]["samples"][1] == ["cd", "cd", "y 30"]
    (run.path / "recent" / "step-0000010.safetensors").touch()
    (run.path / "snapshots" / "step-0000000.safetensors").touch()
    assert training.kept(run) == [0, 10]


def test_visitors_are_not_told_where_folders_lie(training: Training):
    told = training.for_visitors(f"{training.places.runs}/x and {training.places.data}/y")
    assert told == "…/runs/x and …/data/y"


def test_places_of_this_machine(tmp_path: Path):
    assert devices()[-1] == "cpu"
    assert free_bytes(tmp_path / "not" / "yet" / "there") > 0


def test_a_run_from_its_start_to_a_checkpoint(training: Training, checkpoint: Path, tmp_path: Path):
    """Real processes: one trains, the second waits, is stopped and resumed; both end up the same."""
    long = recipe(steps=100_000, validate_every=10, dev_lines=1)
    first = training.start("first", long, text(training)).path
    second = training.start("second", long, text(training)).path
    until(lambda: len(read_metrics(first)) > 20)
    assert read_status(second).state == "waiting"
    assert not (second / "run.json").exists(), "it has not begun"

    Training(training.places).stop("first")  # another server
    until(lambda: read_status(first).state == "stopped")
    until(lambda: len(read_metrics(second)) > 5)
    training.stop("second")
    until(lambda: read_status(second).state == "stopped")

    reached = read_status(first).step
    asked = read_request(first)
    training.resume("first", steps=reached + 3)
    until(lambda: read_status(first).state == "finished")
    assert read_status(first).step == reached + 3
    assert read_request(first).asked > asked.asked
    rows = [row["step"] for row in read_metrics(first) if row["kind"] == "update"]
    assert rows == list(range(1, reached + 4))

    (tmp_path / "shelf").mkdir()
    bench = Workbench({"toy": checkpoint})
    assert training.promote(bench, tmp_path / "shelf", "first", "mine") == "mine"
    assert bench.names == ["toy", "mine"]
    assert bench.card("mine").training["updates"] == reached + 3
    with pytest.raises(HeadscopeError, match="cannot name a checkpoint"):
        training.promote(bench, tmp_path / "shelf", "first", "../mine")


def test_a_process_that_dies_at_once_says_why(training: Training):
    run = training.start("mine", recipe(vocabulary=5000), text(training)).path
    until(lambda: training.find("mine").condition == "crashed")
    assert "vocabulary" in training.find("mine").status.message
    data = training.places.data / "gone"
    write_text(training.places.data, "gone")
    run = training.start("other", recipe(), data).path
    with RunDirectory(run).held():  # nothing can be read yet
        (data / "train.source").unlink()
    until(lambda: training.find("other").condition == "crashed")
    assert "train" in training.find("other").status.message
