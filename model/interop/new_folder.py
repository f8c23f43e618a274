"""Folders for other programs, written whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headscope.model.errors import HeadscopeError


def refuse_existing(path: Path) -> None:
    """Check that there is nothing at `path` yet, or an empty folder.

    Raises:
        HeadscopeError: there is something.
    """
    if path.is_file() or (path.is_dir() and any(path.iterdir())):
        raise HeadscopeError(f"{path} is there already: choose another place, or remove it")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes the name `path` when all has gone well and is removed when not.

    Raises:
        HeadscopeError: there is something at `path`.
    """
    refuse_existing(path)
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        yield fresh
        fresh.chmod(0o755)
        if path.exists():
            path.rmdir()
        fresh.rename(path)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
