"""The file `model.bin` of CTranslate2: little-endian, a header and then one variable after another.

u32 version, string name of the specification, u32 its revision, u32 number of variables
variable: string name, u8 rank, u32 each dimension, and then
    before version 4: u8 bytes an item, u32 number of items, the items
    from version 4 on: u8 number of the type, u32 number of bytes, the bytes
from version 3 on: u32 number of aliases, and of each two strings: its name and that of a variable
string: u16 length with the zero at its end, the characters, zero
"""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError

NEWEST = 6
TYPES = (torch.float32, torch.int8, torch.int16, torch.int32, torch.float16, torch.bfloat16)
"""By number."""
OLD_TYPES = {4: torch.float32, 2: torch.int16, 1: torch.int8}
"""By bytes an item."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelFile:
    """What the file holds."""

    version: int
    specification: str
    revision: int
    variables: Mapping[str, Tensor]
    """Scalars have no dimension. An alias is the very tensor of its variable."""


def read_model_file(path: Path) -> ModelFile:
    """Read a `model.bin`.

    Raises:
        HeadscopeError: it ends too early or too late, or its numbers do not fit together.
    """
    reader = _Reader(path)
    version = reader.number("I")
    if not 2 <= version <= NEWEST:
        raise HeadscopeError(f"{path}: version {version:,} of the format is unknown; 2 to {NEWEST} can be read")
    specification, revision = reader.string(), reader.number("I")
    variables: dict[str, Tensor] = {}
    for _ in range(reader.number("I")):
        name = reader.string()
        variables[name] = reader.variable(name, version)
    for _ in range(reader.number("I") if version >= 3 else 0):
        alias, name = reader.string(), reader.string()
        for suffix in ("", "_scale"):
            if name + suffix in variables:
                variables[alias + suffix] = variables[name + suffix]
        if name not in variables:
            raise reader.damaged(f"'{alias}' stands for '{name}', which is not there")
    if reader.left:
        raise reader.damaged(f"{reader.left:,} bytes follow its end")
    return ModelFile(version, specification, revision, variables)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._content = memoryview(bytearray(path.read_bytes()))
        self._place = 0

    @property
    def left(self) -> int:
        """Bytes that have not been read."""
        return len(self._content) - self._place

    def damaged(self, what: str) -> HeadscopeError:
        return HeadscopeError(f"{self._path} is damaged or no model of CTranslate2: {what}")

    def bytes(self, count: int) -> memoryview:
        if count > self.left:
            raise self.damaged(
                f"it ends at byte {len(self._content):,}, where {count - self.left:,} more should follow"
            )
        self._place += count
        return self._content[self._place - count : self._place]

    def number(self, kind: str) -> int:
        return struct.unpack(f"<{kind}", self.bytes(struct.calcsize(f"<{kind}")))[0]

    def string(self) -> str:
        raw = bytes(self.bytes(self.number("H")))
        try:
            return raw.removesuffix(b"\0").decode()
        except UnicodeDecodeError:
            raise self.damaged(f"{raw[:20]!r} is no name") from None

    def variable(self, name: str, version: int) -> Tensor:
        shape = [self.number("I") for _ in range(self.number("B"))]
        number = self.number("B")
        kind = OLD_TYPES.get(number) if version < 4 else TYPES[number] if number < len(TYPES) else None
        if kind is None:
            raise self.damaged(f"'{name}' is of an unknown type ({number})")
        size = self.number("I") * (kind.itemsize if version < 4 else 1)
        if size != math.prod(shape) * kind.itemsize:
            raise self.damaged(f"'{name}' has {size:,} bytes, its dimensions are {shape}")
        return torch.frombuffer(self.bytes(size), dtype=kind).view(shape) if size else torch.empty(shape, dtype=kind)
