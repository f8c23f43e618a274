"""The runs of a folder: which there are, how each stands, what was measured. No torch: pages and commands list runs."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from headscope.model.errors import HeadscopeError
from headscope.model.files import folder_name, parse_json, read_json
from headscope.model.training.run_directory import (
    KILLED,
    LIVE,
    RunDirectory,
    RunStatus,
    is_full,
    read_status,
)
from headscope.model.training.turns import Request, read_request

Condition = Literal["waiting", "starting", "running", "stopped", "finished", "crashed", "killed", "disk full"]
LEAST_FREE = 2**20
"""Bytes without which a disk counts as full."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run, as others see it."""

    path: Path
    status: RunStatus
    condition: Condition
    about: Mapping[str, Any] = field(default_factory=dict)
    """What `run.json` records: command, recipe, data with its fingerprint, device, threads, versions."""
    request: Request | None = None
    """What was asked for; None: it was not started by a page."""

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.path.name

    @property
    def live(self) -> bool:
        """Whether a process trains it, or waits for its turn."""
        return self.status.state in LIVE


def read_run(path: Path) -> Run:
    """A run by its folder.

    Raises:
        HeadscopeError: there is none, or what it records is damaged.
    """
    status = read_status(path)
    about = read_json(path / "run.json") if (path / "run.json").exists() else {}
    return Run(path, status, _condition(path, status), about, read_request(path))


def _condition(path: Path, status: RunStatus) -> Condition:
    if status.state in ("failed", "crashed"):
        if is_full(status.message) or shutil.disk_usage(path).free < LEAST_FREE:
            return "disk full"
        return "killed" if status.message == KILLED else "crashed"
    return status.state  # pyright: ignore[reportReturnType]  # the two others are dealt with


def list_runs(folder: Path) -> list[Run]:
    """The runs of a folder, the one that has said something last first. Damaged ones are there too, as crashed."""
    if not folder.is_dir():
        return []
    found = []
    for path in folder.iterdir():
        if not (path / "status.json").is_file():
            continue
        try:
            found.append(read_run(path))
        except HeadscopeError as error:
            found.append(Run(path, RunStatus("crashed", message=str(error)), "crashed"))
    return sorted(found, key=lambda run: (-run.status.time, run.name))


def place(folder: Path, name: str) -> Path:
    """Where the run of that name is, or would be: right in the folder.

    Raises:
        HeadscopeError: the name is none, or leads elsewhere.
    """
    path = folder.resolve() / folder_name(name, "a run")
    if path.is_symlink():
        raise HeadscopeError(f"the run '{name}' is a link to another place: nothing is done with it here")
    return path


def find(folder: Path, name: str) -> Run:
    """The run of that name.

    Raises:
        HeadscopeError: there is none.
    """
    path = place(folder, name)
    if not (path / "status.json").is_file():
        raise HeadscopeError(f"there is no run '{name}' here")
    return read_run(path)


def stop(folder: Path, name: str) -> None:
    """Ask a run to save its state and end.

    Raises:
        HeadscopeError: there is none, or nothing to stop.
    """
    run = find(folder, name)
    if not run.live:
        raise HeadscopeError(f"the run '{name}' does not run: it is {run.condition}")
    (run.path / "stop").touch()


def delete(folder: Path, name: str) -> None:
    """Remove a run and all that it has learned.

    Raises:
        HeadscopeError: there is none, or it runs.
    """
    run = find(folder, name)
    if run.live:
        raise HeadscopeError(f"the run '{name}' is {run.condition}: stop it first")
    with RunDirectory(run.path).held():  # nobody starts it meanwhile
        shutil.rmtree(run.path)


class Rows:
    """The rows of a file that is being written, as far as it has come: each look reads what is new.

    A torn last line is read when it is whole; of rows of one kind and update the last counts, for a run that was
    resumed says some again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        self._read = 0
        self._rows: dict[tuple[str, int], dict[str, Any]] = {}

    def read(self) -> list[dict[str, Any]]:
        """All rows so far, by update; none where there is no file."""
        try:
            stream = self._path.open("rb")
        except FileNotFoundError:
            return []
        with stream:
            stat = os.fstat(stream.fileno())
            if self._file != (stat.st_dev, stat.st_ino) or stat.st_size < self._read:
                self._file, self._read, self._rows = (stat.st_dev, stat.st_ino), 0, {}
            stream.seek(self._read)
            whole, end, _ = stream.read().rpartition(b"\n")
        self._read += len(whole) + len(end)
        for line in whole.split(b"\n") if whole else []:
            row = parse_json(line, self._path)
            self._rows[row.get("kind", ""), row["step"]] = row
        return sorted(self._rows.values(), key=lambda row: row["step"])
