"""The few ways in which a training run touches the disk. Cut off anywhere, a file has its old content or its new."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path


class AtomicWriter:
    """Everything a run writes goes through one of these; tests cut it off at each.

    One process at a time writes to a folder, so what is unfinished has a fixed name: a dot, the name, and `.new`.
    """

    def replace(self, path: Path, write: Callable[[Path], object]) -> None:
        """Let `write` make a new file, and put it in the place of `path` at once."""
        fresh = unfinished(path)
        write(fresh)
        _sync(fresh)
        fresh.replace(path)
        _sync(path.parent)

    def replace_folder(self, path: Path, fill: Callable[[Path], object]) -> None:
        """Let `fill` fill a new folder, and put it in the place of `path`. If cut off, there may be none."""
        fresh = unfinished(path)
        fresh.mkdir(parents=True)
        fill(fresh)
        if path.exists():
            shutil.rmtree(path)
        fresh.rename(path)
        _sync(path.parent)

    def append(self, path: Path, line: str) -> None:
        """Add a line to a file. If cut off, the line may be torn: readers ignore what has no line end."""
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def tidy(self, folder: Path) -> None:
        """Remove what earlier processes left unfinished."""
        for path in folder.glob(".*.new"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def unfinished(path: Path) -> Path:
    """Where a file or folder is made before it takes its name."""
    return path.with_name(f".{path.name}.new")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
