import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headscope.analysis.experiments.ablation import ABLATIONS, AblationResult
from headscope.analysis.experiments.grids import ablation_jobs
from headscope.analysis.experiments.runner import RESULTS
from headscope.analysis.experiments.side_by_side import run_side_by_side
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from tests.analysis.experiments.test_differences import result
from tests.analysis.experiments.toys import BUDGET, toy_data

JOBS = ablation_jobs("key-size", 1)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return toy_data(tmp_path_factory.mktemp("side") / "data")


def save(task) -> bool:
    made = result(task.job.row, task.job.seed, 2.0, 20.0)
    ABLATIONS.file(task.job.name).save(made, task.out / RESULTS)
    return True


def meets_another(task) -> bool:
    """Ends when a second one has begun, or never."""
    folder = task.out / "begun"
    folder.mkdir(exist_ok=True)
    (folder / task.job.name).touch()
    until = time.monotonic() + 60
    while len(list(folder.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    return save(task) if time.monotonic() < until else False


def fails_or_dies(task) -> bool:
    if task.job.row == "key-8":
        raise HeadscopeError("the training has diverged")
    if task.job.row == "key-16":
        os.kill(os.getpid(), signal.SIGKILL)
    return save(task)


def waits_for_stop(task) -> bool:
    (task.out / task.job.name).mkdir()
    until = time.monotonic() + 60
    while not (task.out / task.job.name / "stop").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return False


def test_jobs_run_at_the_same_time(data, tmp_path):
    done = []
    worked = run_side_by_side(data, tmp_path, JOBS, BUDGET, at_once=2, done=done.append, work=meets_another)
    assert (worked.finished, worked.failed) == (True, {})
    assert set(done) == set(JOBS)
    assert all(isinstance(found, AblationResult) for found in ABLATIONS.load(tmp_path / RESULTS, JOBS).values())


def test_one_that_fails_and_one_that_is_killed_are_named_and_the_rest_gone_on_with(data, tmp_path):
    worked = run_side_by_side(data, tmp_path, JOBS, BUDGET, at_once=3, work=fails_or_dies)
    assert worked.finished
    assert worked.failed["key-8-seed1"] == "the training has diverged"
    assert "ended without a word (exit code -9)" in worked.failed["key-16-seed1"]
    assert list(ABLATIONS.load(tmp_path / RESULTS, JOBS)) == [JOBS[0]]


def test_a_wish_to_stop_reaches_all_that_run(data, tmp_path):
    class Stop:
        def update(self, done, total):
            if all((tmp_path / job.name).is_dir() for job in JOBS[:2]):
                raise Cancelled

    worked = run_side_by_side(data, tmp_path, JOBS, BUDGET, at_once=2, progress=Stop(), work=waits_for_stop)
    assert not worked.finished
    assert not (tmp_path / JOBS[2].name).exists()


def test_a_grid_whose_processes_are_killed_is_gone_on_with(data, tmp_path):
    """A real one: the parent is killed in the middle, its jobs end by themselves, and nothing is made twice or lost."""
    words = [sys.executable, "-m", "headscope", "ablate", "--grid", "key-size", "--seeds", "1", "--device", "cpu"]
    words += ["--updates", "40", "--jobs-side-by-side", "2", "--data", str(data.folder), "--out", str(tmp_path)]
    words += [word for change in BUDGET.changes for word in ("--set", change)]
    root = Path(__file__).parents[3]
    first = subprocess.Popen(words, cwd=root, stderr=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + 120
    while not (tmp_path / JOBS[0].name / "state.safetensors").exists() and time.monotonic() < until:
        time.sleep(0.02)
    first.kill()
    assert first.wait() == -signal.SIGKILL
    before = {file.name: file.stat().st_mtime_ns for file in (tmp_path / RESULTS).iterdir()}
    assert len(before) < len(JOBS)
    deadline, code = time.monotonic() + 300, 2
    while code == 2 and time.monotonic() < deadline:  # as long as orphans hold their folders
        code = subprocess.run(words, cwd=root, stderr=subprocess.DEVNULL, timeout=300).returncode
    assert code == 0
    found = ABLATIONS.load(tmp_path / RESULTS, JOBS)
    assert {job: result.updates for job, result in found.items()} == dict.fromkeys(JOBS, 40)
    assert (tmp_path / "key-size.csv").read_text("utf-8").startswith("row,what,seeds,dev_nll")
    for name, when in before.items():
        assert (tmp_path / RESULTS / name).stat().st_mtime_ns == when
