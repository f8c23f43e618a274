"""The texts that a server can train on: those that ship, those in its data folder, and those that visitors hand in."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from headscope.model.card import SHIPPED, language_pair
from headscope.model.data.prepared import DESCRIPTION, load_prepared
from headscope.model.errors import HeadscopeError
from headscope.model.files import folder_name

if TYPE_CHECKING:
    from headscope.model.data.inspection import TextReport
    from headscope.model.progress import Progress

REPORTS = 16
"""That are kept in memory."""


class Texts:
    """One a server; any number of threads may use it."""

    def __init__(self, data: Path, *, shipped: Path | None = None) -> None:
        """Those of a folder, and those that ship."""
        self._data, self._shipped = data, shipped or SHIPPED
        self._lock = threading.Lock()
        self._reports: dict[tuple, TextReport] = {}

    def all(self) -> dict[str, Path]:
        """The prepared texts that can be trained on, by name: those that ship first."""
        shipped = [file.parent for file in sorted(self._shipped.glob(f"*/{DESCRIPTION}"))]
        own = sorted(self._data.iterdir()) if self._data.is_dir() else []
        return {path.name: path for path in [*shipped, *own] if _is_prepared(path)}

    def under(self, folder: str) -> Path:
        """A prepared text somewhere in the data folder.

        Args:
            folder: its place there, as in corpora/mine.

        Raises:
            HeadscopeError: it leads elsewhere, or is no prepared text.
        """
        path = (self._data / folder.strip()).resolve()
        if not folder.strip() or not path.is_relative_to(self._data.resolve()):
            raise HeadscopeError(f"'{folder.strip()}' is not in the folder {self._data.name} of this server")
        load_prepared(path)
        return path

    def take_in(self, files: Mapping[str, bytes], name: str, languages: str = "") -> str:
        """Make a prepared text of what a visitor hands in. Returns its name.

        Args:
            files: contents by name, the source first.
            languages: two codes, as en,de; blank: not known.

        Raises:
            HeadscopeError: in one line, what is wrong with the files or the name.
        """
        from headscope.model.data.uploads import take_in

        name = folder_name(name, "a text")
        pair = language_pair(languages if languages.strip() else None)
        for code in pair or ():
            folder_name(code, "a language")
        self._data.mkdir(parents=True, exist_ok=True)
        return take_in(files, self._data / name, languages=pair).folder.name

    def report(self, text: Path, progress: "Progress") -> "TextReport":
        """What is in a prepared text: looked through once, and again when its files change.

        Raises:
            Cancelled: `progress` wants it to stop.
        """
        from headscope.model.data.inspection import inspect_text

        stamp = (text, *((file.name, file.stat().st_mtime_ns) for file in sorted(text.iterdir())))
        if stamp not in self._reports:
            report = inspect_text(load_prepared(text), progress=progress)
            with self._lock:
                self._reports[stamp] = report
                while len(self._reports) > REPORTS:
                    self._reports.pop(next(iter(self._reports)))
        return self._reports[stamp]


def _is_prepared(path: Path) -> bool:
    try:
        load_prepared(path)
    except HeadscopeError:
        return False
    return True
