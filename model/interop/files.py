"""The files of other toolkits, read without trusting them: nothing in them is ever run."""

import pickle
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json

_POINTER = b"version https://git-lfs"

Content = TypeVar("Content")


def require(folder: Path, *names: str) -> Path:
    """The first of these files that the folder has.

    Raises:
        HeadscopeError: it has none of them, or what it has is a Git LFS pointer to it.
    """
    if not folder.is_dir():
        raise HeadscopeError(f"there is no folder {folder}")
    for name in names:
        path = folder / name
        if path.is_file():
            with path.open("rb") as file:
                if file.read(len(_POINTER)) == _POINTER:
                    raise HeadscopeError(f"{path} is a Git LFS pointer, not the file itself: run 'git lfs pull' there")
            return path
    raise HeadscopeError(f"{folder} has no {' and no '.join(names)}: it is not a model of this kind, or not complete")


def read_bytes(folder: Path, name: str) -> bytes:
    """The contents of a file that has to be there."""
    return require(folder, name).read_bytes()


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a .safetensors file, or of a PyTorch file that is a dictionary of tensors.

    Raises:
        HeadscopeError: it is neither, it is cut short, or it would run code.
    """
    if path.suffix == ".safetensors":
        return _whole(path, lambda: load_file(path))
    return tensors_in(read_pickle(path), path)


def tensors_in(content: object, path: Path) -> dict[str, Tensor]:
    """A dictionary of tensors, as it stands in a PyTorch file.

    Raises:
        HeadscopeError: it is something else.
    """
    if not isinstance(content, dict) or not content:
        raise HeadscopeError(f"{path} holds no tensors by name")
    for name, value in content.items():
        if not isinstance(name, str) or not isinstance(value, Tensor):
            raise HeadscopeError(f"{path}: '{name}' is no tensor but {type(value).__name__}")
    return content


def read_pickle(path: Path, *, harmless: Sequence[type] = ()) -> Any:
    """What a PyTorch file holds: tensors, plain values, and objects of the `harmless` types. No code in it is run.

    Raises:
        HeadscopeError: it asks for anything else (which is named), or it is no such file, or cut short.
    """
    with torch.serialization.safe_globals(list(harmless)), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about unusual pickles, which are read or refused here
        return _whole(path, lambda: torch.load(path, map_location="cpu", weights_only=True))


def _whole(path: Path, read: Callable[[], Content]) -> Content:
    try:
        return read()
    except pickle.UnpicklingError as error:
        if found := re.search(r"GLOBAL ([\w.]+)", str(error)):
            raise HeadscopeError(
                f"{path} would run '{found[1]}' when it is opened, so it was not opened: take weights in .safetensors "
                "from a source that you trust"
            ) from error
        raise HeadscopeError(f"{path} is not a PyTorch file, or is damaged: copy it again") from error
    except (SafetensorError, RuntimeError, EOFError, KeyError, ValueError, AttributeError) as error:
        raise HeadscopeError(f"{path} is damaged or is something else than its name says: copy it again") from error


def read_ids(path: Path) -> tuple[str, ...]:
    """A vocabulary in JSON, piece to id, as pieces in the order of their ids.

    Raises:
        HeadscopeError: it is something else, or ids are missing or given twice.
    """
    ids = read_json(path)
    table: list[str | None] = [None] * len(ids)
    for piece, index in ids.items():
        if type(index) is not int or not 0 <= index < len(ids) or table[index] is not None:
            raise HeadscopeError(f"{path}: the id {index!r} of '{piece}' is not one of 0 to {len(ids) - 1}, each once")
        table[index] = piece
    return tuple(piece for piece in table if piece is not None)


def stated_licence(folder: Path) -> str | None:
    """The licence that the model card (README.md) of a folder names in its head; None: it names none."""
    card = folder / "README.md"
    if not card.is_file():
        return None
    head = re.match(r"---\n(.*?)\n---", card.read_text("utf-8", errors="replace"), re.DOTALL)
    named = re.search(r"^licen[cs]e:\s*[\"']?([\w.+-]+)", head[1], re.MULTILINE) if head else None
    return named[1] if named else None
