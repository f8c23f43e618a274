"""The checkpoint folders that a server shows, by the names that visitors see."""

from collections.abc import Sequence
from pathlib import Path

from headscope.model.card import SHIPPED, available, resolve
from headscope.model.errors import HeadscopeError


def checkpoint_folders(places: Sequence[str | Path] = ()) -> dict[str, Path]:
    """Checkpoint folders by name.

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
            name = folder.resolve().name
            if name in found:
                name = f"{folder.resolve().parent.name}/{name}"
            found[name] = folder.resolve()
    return found


def shelf(places: Sequence[str | Path] = ()) -> Path | None:
    """Where new checkpoints go: the first of the places that holds several; None: all are checkpoints themselves."""
    return next((Path(place).resolve() for place in places or [SHIPPED] if available(Path(place))), None)


def version(folder: Path) -> tuple:
    """Changes when a checkpoint is written again."""
    files = [path.stat() for path in sorted(folder.glob("*.*"))]
    return (folder, *((file.st_mtime_ns, file.st_size) for file in files))
