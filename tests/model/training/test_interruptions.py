"""Whatever cuts a run off, it goes on from there as if nothing had happened."""

import multiprocessing
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headscope.model.data.prepared import PreparedData, load_prepared
from headscope.model.files import AtomicWriter
from headscope.model.training.recipe import Recipe, parse_recipe
from headscope.model.training.run_directory import read_metrics, read_rows, read_status
from headscope.model.training.trainer import train
from tests.model.training.runs import assert_same
from tests.training_toys import toy_fields

POINTS = 66
"""Moments at which the run of `short` can be cut off: before each write, and in the middle of it."""


class Cut(BaseException):
    """The process is gone: nobody handles this."""


class CutOff(AtomicWriter):
    """Works until the given moment; from then on nothing is written any more."""

    def __init__(self, point: int) -> None:
        self.point = point
        self.passed = 0

    def _moment(self) -> bool:
        self.passed += 1
        return self.passed >= self.point

    def _before(self) -> None:
        if self._moment():
            raise Cut

    def _leave(self, unfinished: Path) -> None:
        """A process that is gone clears nothing up."""
        shutil.copytree(unfinished, unfinished.with_name(f"{unfinished.stem}-left.new"))

    def replace(self, path: Path, write: Callable[[Path], object]) -> None:
        def torn(file: Path) -> None:
            write(file)
            if self._moment():
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
                self._leave(file.parent)
                raise Cut

        self._before()
        super().replace(path, torn)

    def replace_folder(self, path: Path, fill: Callable[[Path], object]) -> None:
        def torn(folder: Path) -> None:
            fill(folder)
            if self._moment():
                next(folder.iterdir()).unlink()
                self._leave(folder.parent)
                raise Cut

        self._before()
        super().replace_folder(path, torn)

    def append(self, path: Path, line: str) -> None:
        self._before()
        if self._moment():
            with path.open("a") as file:
                file.write(line[: len(line) // 2])
            raise Cut
        super().append(path, line)

    def remove(self, path: Path) -> None:
        self._before()
        super().remove(path)


def short() -> Recipe:
    """A run in which everything is written at least twice, and old weights are dropped."""
    return parse_recipe(toy_fields(steps=3, validate_every=1, average_last=2, log_every=2, dev_lines=1))


@pytest.fixture(scope="module")
def whole(copying: PreparedData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That run, not cut off."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    writer = CutOff(sys.maxsize)
    train(short(), copying, folder, device="cpu", writer=writer)
    assert writer.passed == POINTS
    return folder


@pytest.mark.parametrize("point", range(1, POINTS + 1))
def test_cut_off_at_any_write(point: int, whole: Path, copying: PreparedData, tmp_path: Path):
    run = tmp_path / "run"
    with pytest.raises(Cut):
        train(short(), copying, run, device="cpu", writer=CutOff(point))
    assert train(short(), copying, run, device="cpu").state == "finished"
    assert_same(whole, run)
    assert read_rows(run / "translations.jsonl") == read_rows(whole / "translations.jsonl")
    for name in ("checkpoint/model.safetensors", "checkpoint/positions.json", "checkpoint/config.json"):
        assert (run / name).read_bytes() == (whole / name).read_bytes()
    assert not list(run.rglob(".*"))


def test_a_full_disk_is_reported_and_the_last_state_stays(whole: Path, copying: PreparedData, tmp_path: Path):
    class Full(AtomicWriter):
        states = 0

        def replace(self, path: Path, write: Callable[[Path], object]) -> None:
            if path.name == "state.safetensors":
                self.states += 1
                if self.states == 2:
                    raise OSError(28, "No space left on device", str(path))
            super().replace(path, write)

    with pytest.raises(OSError, match="No space left"):
        train(short(), copying, tmp_path / "run", device="cpu", writer=Full())
    status = read_status(tmp_path / "run")
    assert status.state == "failed"
    assert "No space left" in status.message
    train(short(), copying, tmp_path / "run", device="cpu")
    assert_same(whole, tmp_path / "run")


def long() -> Recipe:
    """A run that can be killed three times."""
    return parse_recipe(toy_fields(steps=30, validate_every=4))


def work(data: Path, run: Path) -> None:
    """What the process that is killed does."""
    train(long(), load_prepared(data), run, device="cpu")


def test_three_kills(copying: PreparedData, tmp_path: Path):
    # All come from one process that has loaded everything, and nothing else: that takes longer than the run.
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    run = tmp_path / "run"
    for reached in (5, 11, 18):
        process = processes.Process(target=work, args=(copying.folder, run))
        process.start()
        while process.is_alive() and len([r for r in read_metrics(run) if r["kind"] == "update"]) < reached:
            time.sleep(0.005)
        process.kill()
        process.join()
        assert process.exitcode == -9
        assert read_status(run).state == "crashed"
    train(long(), copying, run, device="cpu")
    train(long(), copying, tmp_path / "whole", device="cpu")
    assert_same(tmp_path / "whole", run)
