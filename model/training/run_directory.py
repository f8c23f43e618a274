"""The folder of a training run: what is in it, who holds it, and how others read it. No torch here: pages read runs.

| file | content |
| --- | --- |
| `run.json` | recipe as used, data, device, versions |
| `request.json` | what was asked for where a page started it: data, device, when; `recipe.toml` lies beside it |
| `status.json` | waiting, starting, running, stopped, finished or failed; update; last sign of life (atomic) |
| `metrics.jsonl` | one row a line; the last line may be torn; the rows go on at a resumed update |
| `translations.jsonl` | how a few development lines were translated at each validation; a line as above |
| `state.safetensors` | all that resuming needs, as one file (replaced atomically) |
| `vocabulary/` | the vocabulary, learned once |
| `history/` | what every head did at each snapshot, a file each |
| `snapshots/` | weights in fp16 from the whole course, `step-0000000.safetensors` first |
| `recent/` | weights in fp32 at the last validations and around the best one, to be averaged |
| `checkpoint/` | the finished model |
| `log.txt` | what happened, a line each |
| `output.txt` | what the process wrote, where a page started it |
| `lock` | held by the trainer as long as it lives, and by a process that waits for its turn |
| `stop` | touch it to stop the trainer |
"""

import errno
import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import IO, Any, Literal

import portalocker

from headscope.model.errors import HeadscopeError
from headscope.model.files import AtomicWriter, parse_json, read_json, write_json

State = Literal["waiting", "starting", "running", "stopped", "finished", "failed", "crashed"]
LIVE: tuple[State, ...] = ("waiting", "starting", "running")
CLOCKS = 1.0
"""Seconds that the clock of a file system may be behind."""
PATIENCE = 120.0
"""Seconds that a process which was launched may take to show that it lives."""
SAMPLES = 12
"""Development lines of which the translations are kept."""
KILLED = "its process was ended from outside"
FULL = ("No space left on device", "Disk quota exceeded")
"""What operating systems say of a full disk."""
_ERROR = re.compile(r"(headscope: |(\w+\.)*\w*(Error|Exception|Interrupt|Exit)\b)")
_TAIL = 8192


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
        self.translations = path / "translations.jsonl"
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
            if self.status_file.exists():
                self.status = read_status(self.path)
            if not self._stop_is_meant():
                self.forget_stop()
            yield

    def _is_run(self) -> bool:
        # Whoever launches a trainer may write "starting" before it.
        return (self.path / "lock").exists() or self.status_file.exists()

    def forget_stop(self) -> None:
        """Let nobody's earlier wish count."""
        self.writer.remove(self._stop)

    def _stop_is_meant(self) -> bool:
        """Whether somebody wants the run to stop that is only about to start, and not one of long ago."""
        asked = self.status.state == "waiting" and self._stop.exists()
        return asked and self._stop.stat().st_mtime >= self.status.time - CLOCKS

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

    def add_samples(self, step: int, pairs: Sequence[tuple[str, str]], texts: Sequence[str]) -> None:
        """Keep how the first development lines were translated."""
        found = zip(pairs[:SAMPLES], texts[:SAMPLES], strict=True)
        rows = [[source, target, text] for (source, target), text in found]
        self.writer.append(self.translations, json.dumps({"step": step, "samples": rows}))

    def cut_rows(self, step: int) -> None:
        """Drop the rows beyond an update, and a torn one."""
        for path in (self.metrics, self.translations):
            if path.exists():
                text = "".join(json.dumps(row) + "\n" for row in read_rows(path) if row["step"] <= step)
                self.writer.replace(path, lambda file, text=text: file.write_text(text, "utf-8", newline="\n"))

    def log(self, message: str) -> None:
        """Add a line to the log."""
        self.writer.append(self._log, f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {message}")


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of `metrics.jsonl` so far; a torn last line is left out."""
    return read_rows(path / "metrics.jsonl")


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a file with one a line; none where there is no file, and without a torn last line."""
    if not file.exists():
        return []
    *whole, _ = file.read_bytes().split(b"\n")
    return [parse_json(line, file) for line in whole if line]


def read_status(path: Path) -> RunStatus:
    """How the run in a folder stands: `crashed` when it says that it lives, but nobody holds it.

    One that was launched and waits for its turn has a while until it has to hold the folder, unless its process has
    written an error before.

    Raises:
        HeadscopeError: there is no run.
    """
    status = _said_status(path)
    if status.state not in LIVE or is_held(path):
        return status
    if (again := _said_status(path)) != status:  # it has ended between the two looks
        return again if again.state not in LIVE else read_status(path)
    words = last_words(path)
    if status.state == "waiting" and not words and time.time() - status.time < PATIENCE:
        return status
    return replace(status, state="crashed", message=words or KILLED)


def _said_status(path: Path) -> RunStatus:
    """What the last process of a run has said. What other versions say beyond that is left out."""
    known = {field.name for field in fields(RunStatus)}
    try:
        return RunStatus(**{name: value for name, value in read_json(path / "status.json").items() if name in known})
    except (HeadscopeError, TypeError) as error:
        raise HeadscopeError(f"{path} is not the folder of a training run") from error


def last_words(path: Path) -> str:
    """The error that a process which a page started has ended with, in one line; blank: none."""
    file = path / "output.txt"
    if not file.exists():
        return ""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - _TAIL))
        lines = stream.read().decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return last.removeprefix("headscope: ") if _ERROR.match(last) else ""


def is_full(message: str) -> bool:
    """Whether an error is that of a full disk."""
    return any(words in message for words in (*FULL, os.strerror(errno.ENOSPC)))


def is_held(path: Path) -> bool:
    """Whether a process trains in the folder of a run, or waits there for its turn."""
    lock = path / "lock"
    if not lock.exists():
        return False
    try:
        with lock.open("a+") as file:
            portalocker.lock(file, portalocker.LOCK_SH | portalocker.LOCK_NB)
            portalocker.unlock(file)
    except portalocker.LockException:
        return True
    return False
