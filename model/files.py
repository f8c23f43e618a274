"""How files and folders are written, whole or not at all, and how those that hold JSON or a result are read. No torch.

What is being made lies in a folder of its own beside its place, whose name is a dot, the name and something ending in
`.new`; it is gone when the work ends in any way but with the process.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ValidationError

from headscope.model.config import explain
from headscope.model.errors import HeadscopeError

ON_PAGES = "whoever runs the server can make it again"
_NAME = re.compile(r"[^\W_][\w.+-]{0,99}")
FIRST_FORMAT = 1
"""That of a result file that names none."""


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make a new file, and put it in the place of `path` at once. Cut off anywhere, the old one stays.

    Raises:
        HeadscopeError: there is something else than a file at `path`.
    """
    require_file_place(path)
    with _scratch(path) as scratch:
        fresh = scratch / path.name
        write(fresh)
        _sync(fresh)
        fresh.replace(path)
        _sync(path.parent)


def require_file_place(path: Path) -> None:
    """Check that a file may be put at `path`: there is one that it replaces, or nothing. A device is no file.

    Raises:
        HeadscopeError: there is something else.
    """
    if path.exists() and not path.is_file():
        raise HeadscopeError(f"{path} is there and is no file: choose another name")


def folder_name(text: str, what: str) -> str:
    """A name that a visitor has typed, for a folder beside others: it leads nowhere else.

    Args:
        what: it is to name, as in "a checkpoint".

    Raises:
        HeadscopeError: it is none.
    """
    name = text.strip()
    if not _NAME.fullmatch(name):
        raise HeadscopeError(f"'{name}' cannot name {what}: take letters and digits, with . _ + - between them")
    return name


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes the place of `path` when all has gone well.

    If the process is cut off in the moment of the exchange, there may be none.

    Raises:
        HeadscopeError: there is something else than a folder at `path`.
    """
    path = path.resolve()
    if path.exists() and not path.is_dir():
        raise HeadscopeError(f"{path} is there and is no folder: choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    with _scratch(path) as scratch:
        fresh, old = scratch / "new", scratch / "old"
        fresh.mkdir()
        yield fresh
        try:
            if path.exists():
                path.rename(old)
            fresh.rename(path)
        except BaseException:
            if old.exists() and not path.exists():
                old.rename(path)
            raise
        _sync(path.parent)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes the name `path` when all has gone well.

    Raises:
        HeadscopeError: there is something at `path` already.
    """
    refuse_existing(path)
    with replaced_folder(path) as fresh:
        yield fresh


def refuse_existing(path: Path) -> None:
    """Check that there is nothing at `path` yet, or an empty folder.

    Raises:
        HeadscopeError: there is something.
    """
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise HeadscopeError(f"{path} is there already: choose another place, or remove it")


class AtomicWriter:
    """Everything a training run writes goes through one of these; tests cut it off at each."""

    def replace(self, path: Path, write: Callable[[Path], object]) -> None:
        """As `replace_file` does."""
        replace_file(path, write)

    def replace_folder(self, path: Path, fill: Callable[[Path], object]) -> None:
        """Let `fill` fill a new folder, and put it in the place of `path`, as `replaced_folder` does."""
        with replaced_folder(path) as fresh:
            fill(fresh)

    def append(self, path: Path, line: str) -> None:
        """Add a line to a file. If cut off, the line may be torn: readers ignore what has no line end."""
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there."""
        path.unlink(missing_ok=True)

    def tidy(self, folder: Path) -> None:
        """Remove what earlier processes left unfinished. Nobody else may be writing to the folder."""
        for path in folder.glob(".*.new"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object in a file.

    Raises:
        HeadscopeError: it is missing, or holds something else.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise HeadscopeError(f"{path} cannot be read: {error.strerror}") from error
    content = parse_json(raw, path)
    if not isinstance(content, dict):
        raise HeadscopeError(f"{path} holds {type(content).__name__}, not an object")
    return content


def parse_json(raw: bytes, path: Path) -> Any:
    """The JSON value that was read from a file.

    Raises:
        HeadscopeError: it is none; the file is named.
    """
    try:
        return json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise HeadscopeError(f"{path} is not JSON: {error}") from error


def json_text(content: Mapping[str, Any] | Sequence[Any]) -> str:
    """An object or a list as JSON that people can read: one line an entry."""
    opening, closing = "{}" if isinstance(content, Mapping) else "[]"
    if isinstance(content, Mapping):
        lines = [f"{_line(key)}: {_line(value)}" for key, value in content.items()]
    else:
        lines = [_line(value) for value in content]
    return f"{opening}\n" + ",\n".join("  " + line for line in lines) + f"\n{closing}\n"


def write_json(path: Path, content: Mapping[str, Any] | Sequence[Any]) -> None:
    """Write an object or a list as `json_text` has it. Where others may read meanwhile, `replace_file` goes around."""
    path.write_text(json_text(content), encoding="utf-8", newline="\n")


def model_text(content: BaseModel) -> str:
    """A validated object as JSON that people can read."""
    return content.model_dump_json(indent=1) + "\n"


@runtime_checkable
class OfWeights(Protocol):
    """Something that was computed of the weights of a model."""

    @property
    def weights(self) -> str:
        """`Translator.weights_digest` of them."""
        ...


Result = TypeVar("Result", bound=OfWeights)


@dataclass(frozen=True, slots=True)
class ResultFile(Generic[Result]):
    """A file in the folder of a checkpoint that keeps something computed of its weights: a JSON object that says its
    `format` and, as `weights`, the digest of these."""

    name: str
    format: int
    """The one that is written and read."""
    command: str
    """What makes the file."""
    text: Callable[[Result], str]
    parse: Callable[[dict[str, Any]], Result]
    """May raise ValueError, KeyError or TypeError for what is no such result."""

    def save(self, result: Result, checkpoint: Path) -> None:
        """Put the result into a checkpoint's folder, in the place of one that is there."""
        content = self.text(result)
        replace_file(checkpoint / self.name, lambda fresh: fresh.write_text(content, "utf-8", newline="\n"))

    def load(self, checkpoint: Path) -> Result | None:
        """The result in a checkpoint's folder, of whatever weights it is; None: there is none.

        Raises:
            HeadscopeError: the file is of another format, or is damaged.
        """
        path = checkpoint / self.name
        if not path.exists():
            return None
        content = read_json(path)
        again = f"make it again with `{self.command}`"
        require_format(path, content.get("format", FIRST_FORMAT), self.format, again, on_pages=ON_PAGES)
        try:
            return self.parse(content)
        except ValidationError as error:
            problem = f"{path}: {explain(error)}"
            raise HeadscopeError(f"{problem}: {again}", on_pages=f"{problem}: {ON_PAGES}") from error
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{path} is damaged ({error!r})"
            raise HeadscopeError(f"{problem}: {again}", on_pages=f"{problem}: {ON_PAGES}") from error


def require_format(path: Path, found: object, known: int, again: str, *, on_pages: str | None = None) -> None:
    """Check that a file is of the format that this version knows.

    Args:
        again: how to come by a file of that format.
        on_pages: the same for visitors of a page, where `again` names a command.

    Raises:
        HeadscopeError: it is of another one.
    """
    if found == known:
        return
    newer = isinstance(found, int) and found > known
    way = f"update Headscope, or {again}" if newer else again
    problem = f"{path} is of format {found!r}, and this version reads format {known}"
    raise HeadscopeError(f"{problem}: {way}", on_pages=f"{problem}: {on_pages or way}")


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@contextmanager
def _scratch(path: Path) -> Iterator[Path]:
    """A folder beside `path`, for what is to take its place; removed in the end."""
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}-", suffix=".new", dir=path.parent))
    except OSError as error:
        error.filename = str(path)
        raise
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
