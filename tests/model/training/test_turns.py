"""Who trains when: one a device, first come first served, whatever dies meanwhile."""

import threading
import time
from pathlib import Path

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.training import turns
from headscope.model.training.run_directory import PATIENCE, RunDirectory, read_status
from headscope.model.training.turns import Request, ahead, ask, read_request, turn


def waiting(folder: Path, name: str, asked: float, device: str = "cpu") -> Path:
    """A run that was asked for."""
    ask(RunDirectory(folder / name), Request("text", device, float(asked)), steps=9)
    return folder / name


def never() -> bool:
    return False


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "LOOK", 0.01)


def test_a_request_is_read_as_it_was_written(tmp_path: Path):
    assert read_request(tmp_path) is None
    run = waiting(tmp_path, "a", 3.5)
    assert read_request(run) == Request("text", "cpu", 3.5)
    assert (read_status(run).state, read_status(run).steps) == ("waiting", 9)
    (run / "request.json").write_text('{"data": "text", "device": "cpu", "asked": 1.5, "mood": "good"}')
    assert read_request(run) == Request("text", "cpu", 1.5)
    (run / "request.json").write_text('{"device": "cpu"}')
    with pytest.raises(HeadscopeError, match="damaged"):
        read_request(run)


def test_who_came_first_goes_first_and_other_devices_do_not_count(tmp_path: Path):
    third, first, second = (waiting(tmp_path, name, asked) for name, asked in (("a", 3), ("b", 1), ("c", 2)))
    waiting(tmp_path, "d", 0, "cuda:0")
    (tmp_path / "no run").mkdir()
    (tmp_path / "a file").touch()
    line = {run.name: ahead(run, read_request(run)) for run in (first, second, third)}
    assert line == {"b": [], "c": ["b"], "a": ["b", "c"]}


def test_what_has_ended_or_never_began_is_not_waited_for(tmp_path: Path):
    run = waiting(tmp_path, "mine", 5)
    dead = RunDirectory(waiting(tmp_path, "dead", 1))
    dead.write_json(dead.status_file, {"state": "waiting", "time": time.time() - PATIENCE - 1})
    RunDirectory(waiting(tmp_path, "done", 2)).set_status("finished")
    RunDirectory(waiting(tmp_path, "killed", 3)).set_status("running")
    assert ahead(run, read_request(run)) == []


@pytest.mark.parametrize(("about", "counts"), [({"device": "cpu"}, True), ({"device": "cuda"}, False), (None, True)])
def test_a_run_that_a_command_started_is_waited_for(tmp_path: Path, about: dict | None, counts: bool):
    run, other = waiting(tmp_path, "mine", 5), RunDirectory(tmp_path / "other")
    with other.held():
        other.set_status("running")
        if about:
            other.write_json(other.about, about)
        assert ahead(run, read_request(run)) == (["other"] if counts else [])


def test_the_second_waits_until_the_first_has_ended(tmp_path: Path):
    first, second = waiting(tmp_path, "a", 1), waiting(tmp_path, "b", 2)
    came = threading.Event()

    def wait() -> None:
        with turn(second, cancelled=never):
            came.set()

    with turn(first, cancelled=never):
        thread = threading.Thread(target=wait)
        thread.start()
        # Even if it looks as if the first had ended: the device is held.
        RunDirectory(first).set_status("finished")
        assert not came.wait(0.3)
        with pytest.raises(HeadscopeError, match="another process"), RunDirectory(second).held():
            pass
    assert came.wait(5)
    thread.join()


def test_who_waits_can_be_stopped(tmp_path: Path):
    run = waiting(tmp_path, "a", 2)
    waiting(tmp_path, "b", 1)
    (run / "stop").touch()
    with pytest.raises(Cancelled), turn(run, cancelled=never):
        pass
    assert read_status(run).state == "stopped"
    waiting(tmp_path, "a", 2)
    assert not (run / "stop").exists()
    with pytest.raises(Cancelled), turn(run, cancelled=lambda: True):
        pass


def test_nobody_has_asked(tmp_path: Path):
    with pytest.raises(HeadscopeError, match="nobody has asked"), turn(tmp_path, cancelled=never):
        pass
