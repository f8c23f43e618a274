"""The checkpoint folders that a server shows, by the names that visitors see."""

from collections.abc import Container, Sequence
from pathlib import Path

from headscope.model.card import SHIPPED, available, resolve
from headscope.model.errors import HeadscopeError


def checkpoint_folders(places: Sequence[str | Path] = ()) -> dict[str, Path]:
    """Checkpoint folders by name; the first to have a name keeps it, and a folder that is given twice is there once.

    Args:
        places: checkpoints (by folder or by the name of one that ships), or folders that hold several; none: those
            that ship.

    Raises:
        HeadscopeError: a place holds no checkpoint.
    """
    found: dict[str, Path] = {}
    for place in places or [SHIPPED]:
        inside = [Path(place) / name for name in available(Path(place))]
        if not inside and place == SHIPPED:
            raise HeadscopeError("no checkpoint is installed: give the folder of one with --checkpoints")
        for folder in inside or [resolve(place)]:
            whole = folder.resolve()
            if whole not in found.values():
                found[_free(whole, found)] = whole
    return found


def _free(folder: Path, taken: Container[str]) -> str:
    """The name of a folder, with those that it stands in before it as far as it takes to be another than the others."""
    parts = folder.parts
    names = ("/".join(parts[first:]) for first in range(len(parts) - 1, -1, -1))
    return next(name for name in names if name not in taken)


def without_place(text: str, folder: Path, name: str) -> str:
    """A text for visitors, who are not told where on the server a folder lies: its name and an ellipsis stand there."""
    return text.replace(str(folder), f"…/{name}")


def shelf(places: Sequence[str | Path] = ()) -> Path | None:
    """Where new checkpoints go: the first of the places that holds several; None: all are checkpoints themselves."""
    return next((Path(place).resolve() for place in places or [SHIPPED] if available(Path(place))), None)


def version(folder: Path) -> tuple:
    """Changes when a checkpoint is written again."""
    files = [path.stat() for path in sorted(folder.glob("*.*"))]
    return (folder, *((file.st_mtime_ns, file.st_size) for file in files))
