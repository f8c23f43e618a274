"""The folder of a training run: what is in it, who holds it, and how others read it. No torch here: pages read runs.

| file | content |
| --- | --- |
| `run.json` | recipe as used, data, device, versions |
| `status.json` | starting, running, stopped, finished or failed; update; last sign of life (replaced atomically) |
| `metrics.jsonl` | one row a line; the last line may be torn; the rows go on at a resumed update |
| `state.safetensors` | all that resuming needs, as one file (replaced atomically) |
| `vocabulary/` | the vocabulary, learned once |
| `samples.jsonl` | watched sentences, translated at every validation: a row each (replaced atomically) |
| `history/` | what every head did at each snapshot, a file each |
| `snapshots/` | weights in fp16 from the whole course, `step-0000000.safetensors` first |
| `recent/` | weights in fp32 at the last validations and around the best one, to be averaged |
| `checkpoint/` | the finished model |
| `log.txt` | what happened, a line each |
| `lock` | held by the trainer as long as it lives |
| `stop` | touch it to stop the trainer |
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

import portalocker

from headscope.model.errors import HeadscopeError
from headscope.model.files import AtomicWriter, parse_json, read_json, write_json

State = Literal["starting", "running", "stopped", "finished", "failed", "crashed"]


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How a run stands."""

    state: State
    step: int = 0
    steps: int = 0
    message: str = ""
    time: float = 0.0
    """Seconds since 1970 when it was written."""


class RunDirectory:
    """The folder, as its one trainer uses it."""

    def __init__(self, path: Path, writer: AtomicWriter | None = None) -> None:
        self.path = path
        self.writer = writer or AtomicWriter()
        self.about = path / "run.json"
        self.status_file = path / "status.json"
        self.metrics = path / "metrics.jsonl"
        self.state = path / "state.safetensors"
        self.vocabulary = path / "vocabulary"
        self.snapshots = path / "snapshots"
        self.recent = path / "recent"
        self.checkpoint = path / "checkpoint"
        self.status = RunStatus("starting")
        self._log = path / "log.txt"
        self._stop = path / "stop"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the folder: make it if need be, keep all others out, and clear what is left of earlier trainers.

        Raises:
            HeadscopeError: another trainer holds it, or it holds something that is not a run.
        """
        if self.path.exists() and not self.path.is_dir():
            raise HeadscopeError(f"{self.path} is a file; choose a folder for the run")
        if self.path.is_dir() and any(self.path.iterdir()) and not self._is_run():
            raise HeadscopeError(f"{self.path} holds something that is not a training run; choose another folder")
        self.path.mkdir(parents=True, exist_ok=True)
        with self._lock() as lock:
            lock.truncate(0)
            lock.write(f"process {os.getpid()}")
            lock.flush()
            for folder in (self.path, self.snapshots, self.recent):
                folder.mkdir(exist_ok=True)
                self.writer.tidy(folder)
            self.writer.remove(self._stop)
            if self.status_file.exists():
                self.status = read_status(self.path)
            yield

    def _is_run(self) -> bool:
        # Whoever launches a trainer may write "starting" before it.
        return (self.path / "lock").exists() or self.status_file.exists()

    @contextmanager
    def _lock(self) -> Iterator[IO[str]]:
        # A page that looks whether the run is held holds the lock for a moment itself: hence a second of patience.
        lock = portalocker.Lock(self.path / "lock", "a+", timeout=1, flags=portalocker.LOCK_EX | portalocker.LOCK_NB)
        try:
            file = lock.acquire()
        except portalocker.LockException:
            holder = (self.path / "lock").read_text("utf-8").strip()
            raise HeadscopeError(
                f"{self.path} is being trained by another process ({holder or 'unknown'}): stop that one first, or "
                "choose another folder"
            ) from None
        try:
            yield file
        finally:
            lock.release()

    @property
    def stop_requested(self) -> bool:
        """Whether somebody has touched `stop`."""
        return self._stop.exists()

    def write_json(self, path: Path, content: Mapping[str, Any]) -> None:
        """Replace a JSON file of the run."""
        self.writer.replace(path, lambda file: write_json(file, content))

    def set_status(self, state: State, *, message: str = "", **changes: int) -> None:
        """Say how the run stands; `step` and `steps` stay as they were unless they are given."""
        self.status = replace(self.status, state=state, message=message, time=time.time(), **changes)
        self.write_json(self.status_file, asdict(self.status))

    def restore_status(self, status: RunStatus) -> None:
        """Say again what was said before."""
        self.status = status
        self.write_json(self.status_file, asdict(status))

    def add_row(self, row: Mapping[str, Any]) -> None:
        """Add a row of metrics."""
        self.writer.append(self.metrics, json.dumps(row, allow_nan=False))

    def cut_rows(self, step: int) -> None:
        """Drop the rows beyond an update, and a torn one."""
        if self.metrics.exists():
            kept = [json.dumps(row) + "\n" for row in read_metrics(self.path) if row["step"] <= step]
            self.writer.replace(self.metrics, lambda file: file.write_text("".join(kept), "utf-8", newline="\n"))

    def log(self, message: str) -> None:
        """Add a line to the log."""
        self.writer.append(self._log, f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {message}")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of `metrics.jsonl` so far; a torn last line is left out."""
    file = path / "metrics.jsonl"
    if not file.exists():
        return []
    *whole, _ = file.read_bytes().split(b"\n")
    return [parse_json(line, file) for line in whole if line]


def read_status(path: Path) -> RunStatus:
    """How the run in a folder stands: `crashed` when it says that it runs, but nobody holds it.

    Raises:
        HeadscopeError: there is no run.
    """
    try:
        status = RunStatus(**read_json(path / "status.json"))
    except (HeadscopeError, TypeError) as error:
        raise HeadscopeError(f"{path} is not the folder of a training run") from error
    if status.state == "running" and not _is_held(path / "lock"):
        return replace(status, state="crashed")
    return status


def _is_held(lock: Path) -> bool:
    try:
        with lock.open("a+") as file:
            portalocker.lock(file, portalocker.LOCK_SH | portalocker.LOCK_NB)
            portalocker.unlock(file)
    except portalocker.LockException:
        return True
    return False
