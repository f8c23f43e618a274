"""A run's folder as its trainer writes it and as others read it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.training.run_directory import (
    KILLED,
    PATIENCE,
    RunDirectory,
    is_full,
    last_words,
    read_metrics,
    read_rows,
    read_status,
)


def test_a_second_trainer_is_refused(tmp_path: Path):
    first, second = RunDirectory(tmp_path / "run"), RunDirectory(tmp_path / "run")
    with first.held(), pytest.raises(HeadscopeError, match=r"another process \(process \d+\)"), second.held():
        pass


def test_it_can_be_held_again_afterwards(tmp_path: Path):
    for _ in range(2):
        with RunDirectory(tmp_path / "run").held():
            pass


def test_what_is_no_run_is_left_alone(tmp_path: Path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(HeadscopeError, match="not a training run"), RunDirectory(tmp_path).held():
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(HeadscopeError, match="is a file"), RunDirectory(tmp_path / "thesis.txt").held():
        pass
    with pytest.raises(HeadscopeError, match="not the folder of a training run"):
        read_status(tmp_path)


def test_status_keeps_what_is_not_changed(tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    with run.held():
        run.set_status("starting", steps=9)
        run.set_status("running", step=4)
        status = read_status(run.path)
        assert (status.state, status.step, status.steps) == ("running", 4, 9)
        assert status.time > 0


def test_a_run_that_nobody_holds_has_crashed(tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    with run.held():
        run.set_status("running", step=4)
    assert read_status(run.path).state == "crashed"
    assert read_status(run.path).step == 4
    assert read_status(run.path).message == KILLED


def test_one_that_was_launched_has_a_while_to_show_that_it_lives(tmp_path: Path):
    run = RunDirectory(tmp_path)
    run.set_status("waiting")
    assert read_status(tmp_path).state == "waiting"
    run.write_json(run.status_file, {"state": "waiting", "time": time.time() - PATIENCE - 1})
    assert read_status(tmp_path).state == "crashed"


def test_one_that_dies_at_once_says_its_last_line(tmp_path: Path):
    run = RunDirectory(tmp_path)
    run.set_status("waiting")
    for written, said in [
        ("", ""),
        ("update 2: development loss 3.1\n", ""),
        ("headscope: there is no data folder x\n\n", "there is no data folder x"),
        ("Traceback (most recent call last):\n  x\ntorch.OutOfMemoryError: CUDA\n", "torch.OutOfMemoryError: CUDA"),
        ("x" * 9000 + "\nMemoryError", "MemoryError"),
    ]:
        (tmp_path / "output.txt").write_text(written)
        assert last_words(tmp_path) == said
        status = read_status(tmp_path)
        assert (status.state, status.message) == (("crashed", said) if said else ("waiting", ""))


def test_a_run_that_ends_while_it_is_looked_at_has_not_crashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run = RunDirectory(tmp_path)
    run.set_status("running", step=3)

    def ended(path: Path) -> bool:
        run.set_status("finished")
        return False

    monkeypatch.setattr("headscope.model.training.run_directory.is_held", ended)
    assert read_status(tmp_path).state == "finished"


def test_what_another_version_says_beyond_is_left_out(tmp_path: Path):
    (tmp_path / "status.json").write_text('{"state": "stopped", "step": 7, "mood": "good"}')
    assert (read_status(tmp_path).state, read_status(tmp_path).step) == ("stopped", 7)


def test_a_full_disk_is_told(tmp_path: Path):
    assert is_full(str(OSError(28, "No space left on device", "x")))
    assert not is_full("the loss is not finite")


def test_liveness_ends_with_the_process(tmp_path: Path):
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from headscope.model.training.run_directory import RunDirectory\n"
        "run = RunDirectory(Path(sys.argv[1]))\n"
        "with run.held(): run.set_status('running'); print('held', flush=True); signal.pause()"
    )
    with subprocess.Popen([sys.executable, "-c", code, tmp_path / "run"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert read_status(tmp_path / "run").state == "running"
        process.kill()
        process.wait()
        assert read_status(tmp_path / "run").state == "crashed"


def test_a_torn_last_row_is_ignored_and_cut(tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    with run.held():
        for step in (1, 2, 3):
            run.add_row({"step": step, "loss": step / 7})
        with run.metrics.open("a") as file:
            file.write('{"step": 4, "lo')
        assert [row["step"] for row in read_metrics(run.path)] == [1, 2, 3]
        run.cut_rows(2)
        run.add_row({"step": 3, "loss": 0.5})
        assert read_metrics(run.path) == [
            {"step": 1, "loss": 1 / 7},
            {"step": 2, "loss": 2 / 7},
            {"step": 3, "loss": 0.5},
        ]
        assert len(run.metrics.read_text().splitlines()) == 3


def test_rows_hold_no_nan(tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    with run.held(), pytest.raises(ValueError, match="JSON"):
        run.add_row({"step": 1, "loss": float("nan")})


def test_stop_is_a_file_and_does_not_outlive_a_start(tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    with run.held():
        assert not run.stop_requested
        (run.path / "stop").touch()
        assert run.stop_requested
    with run.held():
        assert not run.stop_requested


def test_a_stop_that_was_wanted_before_the_start_is_kept(tmp_path: Path):
    run = RunDirectory(tmp_path)
    run.set_status("waiting")
    (tmp_path / "stop").touch()
    with run.held():
        assert run.stop_requested
    os.utime(tmp_path / "stop", (1, 1))
    with RunDirectory(tmp_path).held():
        assert not run.stop_requested


def test_translations_are_kept_and_cut(tmp_path: Path):
    run = RunDirectory(tmp_path)
    pairs = [(f"s{number}", f"t{number}") for number in range(20)]
    for step in (2, 4):
        run.add_samples(step, pairs, [f"{step}: {number}" for number in range(20)])
    run.cut_rows(3)
    (row,) = read_rows(run.translations)
    assert (row["step"], len(row["samples"]), row["samples"][1]) == (2, 12, ["s1", "t1", "2: 1"])


def test_what_a_killed_trainer_left_unfinished_is_removed(tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    with run.held():
        run.write_json(run.about, {"a": 1})
        (run.path / ".state.safetensors.new").write_bytes(b"half")
        (run.path / ".vocabulary.new").mkdir()
        (run.snapshots / ".step-0000001.safetensors.new").touch()
    with run.held():
        assert not list(run.path.rglob("*.new"))
        assert json.loads(run.about.read_text()) == {"a": 1}


def test_reading_needs_no_torch(tmp_path: Path):
    modules = "headscope.model.training.run_directory, headscope.model.training.observer"
    code = f"import sys; import {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
