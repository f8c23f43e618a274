"""Runs of a folder as others see them."""

import json
from pathlib import Path

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.training import runs
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.runs import Rows, delete, find, list_runs, place, stop

BAD_NAMES = ["../x", "a/b", "/x", ".hidden", "..", "a\\b", "a\nb", "-x", "", "x" * 101]


def ended(folder: Path, name: str, state, message: str = "") -> Path:
    """A run that nobody holds."""
    directory = RunDirectory(folder / name)
    with directory.held():
        directory.set_status(state, message=message, step=3, steps=9)
    return directory.path


def test_how_each_stands(tmp_path: Path):
    ended(tmp_path, "stopped", "stopped")
    ended(tmp_path, "failed", "failed", "update 7: the loss or its gradient is not finite")
    ended(tmp_path, "full", "failed", "[Errno 28] No space left on device: 'state.safetensors'")
    ended(tmp_path, "killed", "running")
    words = ended(tmp_path, "words", "running")
    (words / "output.txt").write_text("Traceback\nMemoryError: too much")
    (ended(tmp_path, "damaged", "finished") / "run.json").write_text("{")
    (tmp_path / "no run").mkdir()
    found = {run.name: run.condition for run in list_runs(tmp_path)}
    assert found == {
        "stopped": "stopped",
        "failed": "crashed",
        "full": "disk full",
        "killed": "killed",
        "words": "crashed",
        "damaged": "crashed",
    }
    assert find(tmp_path, "words").status.message == "MemoryError: too much"
    assert list_runs(tmp_path / "nowhere") == []


def test_a_disk_without_room_is_what_a_run_died_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ended(tmp_path, "a", "running")
    monkeypatch.setattr(runs, "LEAST_FREE", 2**80)
    assert find(tmp_path, "a").condition == "disk full"


def test_the_newest_is_first(tmp_path: Path):
    for name in ("b", "a", "c"):
        ended(tmp_path, name, "stopped")
    for time, name in enumerate(("c", "a", "b")):
        status = tmp_path / name / "status.json"
        status.write_text(json.dumps(json.loads(status.read_text()) | {"time": float(time)}))
    assert [run.name for run in list_runs(tmp_path)] == ["b", "a", "c"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_names_lead_nowhere_else(tmp_path: Path, name: str):
    folder = tmp_path / "runs"
    outside = ended(tmp_path, "x", "stopped")
    folder.mkdir()
    for act in (place, find, stop, delete):
        with pytest.raises(HeadscopeError, match="cannot name a run"):
            act(folder, name)
    assert outside.is_dir()


def test_a_link_is_not_followed(tmp_path: Path):
    outside = ended(tmp_path / "elsewhere", "x", "stopped")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x").symlink_to(outside)
    with pytest.raises(HeadscopeError, match="link"):
        delete(tmp_path / "runs", "x")
    assert outside.is_dir()


def test_what_runs_is_stopped_first_and_deleted_then(tmp_path: Path):
    directory = RunDirectory(tmp_path / "a")
    with directory.held():
        directory.set_status("running")
        with pytest.raises(HeadscopeError, match="is running: stop it first"):
            delete(tmp_path, "a")
        stop(tmp_path, "a")
        assert directory.stop_requested
        directory.set_status("stopped")
    with pytest.raises(HeadscopeError, match="does not run: it is stopped"):
        stop(tmp_path, "a")
    delete(tmp_path, "a")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(HeadscopeError, match="there is no run 'a' here"):
        delete(tmp_path, "a")


def test_rows_are_read_as_they_come(tmp_path: Path):
    file = tmp_path / "metrics.jsonl"
    rows = Rows(file)
    assert rows.read() == []
    file.write_text('{"kind": "update", "step": 1, "loss": 3}\n{"kind": "update", "st')
    assert [row["step"] for row in rows.read()] == [1]
    with file.open("a") as stream:
        stream.write('ep": 2, "loss": 2}\n{"kind": "validation", "step": 2, "nll": 2}\n')
    assert [(row["kind"], row["step"]) for row in rows.read()] == [("update", 1), ("update", 2), ("validation", 2)]
    with file.open("a") as stream:
        stream.write('{"kind": "update", "step": 2, "loss": 1}\n')
    assert [row.get("loss") for row in rows.read()] == [3, 1, None], "of rows of one update the last counts"


def test_rows_of_a_file_that_was_replaced_are_read_anew(tmp_path: Path):
    directory = RunDirectory(tmp_path)
    for step in (1, 2, 3):
        directory.add_row({"kind": "update", "step": step})
    rows = Rows(directory.metrics)
    assert len(rows.read()) == 3
    directory.cut_rows(1)
    directory.add_row({"kind": "update", "step": 2, "again": True})
    assert rows.read() == [{"kind": "update", "step": 1}, {"kind": "update", "step": 2, "again": True}]


def test_a_run_of_an_older_version_is_read(tmp_path: Path):
    """Its rows have no norms, its record no versions, and nobody asked for it on a page."""
    path = ended(tmp_path, "old", "stopped")
    (path / "run.json").write_text(
        '{"command": "headscope train", "recipe": {}, "data": {"name": "x"}, "torch": "2.6"}'
    )
    (path / "metrics.jsonl").write_text('{"kind": "update", "step": 10, "time": 1.5, "loss": 3.0, "nll": 2.5}\n')
    found = find(tmp_path, "old")
    assert (found.condition, found.request, found.about["torch"]) == ("stopped", None, "2.6")
    assert Rows(path / "metrics.jsonl").read()[0]["nll"] == 2.5
