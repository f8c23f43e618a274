"""The settings in another toolkit's files, read so that every refusal names the key and its value."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from headscope.model.config import ModelConfig, parse_config
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stored import parse_search

_NONE = object()
_BREAKS = "\x85\u2028\u2029"
_SHOWN = 60
"""Characters of a value that a note shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """What becomes of every key of a format. Names stand with blanks between them."""

    obeyed: str
    """An importer reads them, and refuses the values that ours cannot follow."""
    harmless: Mapping[str, str]
    """Those that change no translation, by the reason why."""
    neglected: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Those that would and are not followed: what comes of it, and the values at which nothing does (null is always
    one; where none is given, all that is empty, false or 0)."""

    @property
    def known(self) -> frozenset[str]:
        """All of them."""
        return self._silent() | frozenset(self.neglected)

    def notes(self, values: Mapping[str, Any], within: str = "") -> list[str]:
        """A line on each value that is not followed, or of which nobody knows what it would do.

        Args:
            within: put before each key, such as `testing.`.
        """
        silent = self._silent()
        unknown = ("no such key is known here",)
        return [
            f"{within}{key} = {_short(value)} is not obeyed: {self.neglected.get(key, unknown)[0]}"
            for key, value in values.items()
            if key not in silent and self._matters(key, value)
        ]

    def _silent(self) -> frozenset[str]:
        return frozenset(name for names in (self.obeyed, *self.harmless.values()) for name in names.split())

    def _matters(self, key: str, value: Any) -> bool:
        plain = self.neglected.get(key, ())[1:]
        return value is not None and (value not in plain if plain else bool(value))


class Settings:
    """Keys and values of one file. What a key means is never guessed: one that is needed has to be there."""

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values

    def get(self, key: str, missing: Any = _NONE) -> Any:
        """The value of a key, or `missing` where the file lacks it or has null there.

        Raises:
            HeadscopeError: the file lacks it and there is nothing to take instead.
        """
        value = self.values.get(key)
        if value is not None:
            return value
        if missing is _NONE:
            raise HeadscopeError(f"{self.path}: the key '{key}' is missing")
        return missing

    def expect(self, key: str, *allowed: Any) -> None:
        """Check that a key has one of these values, the first of which an absent key stands for."""
        value = self.get(key, allowed[0])
        if not any(value is one or (value == one and type(value) is type(one)) for one in allowed):
            raise self.refuse(key, f"only {' or '.join(map(repr, allowed))} can be imported")

    def number(self, key: str, missing: Any = _NONE) -> int:
        """A whole number that is not negative."""
        value = self.get(key, missing)
        if type(value) is not int or value < 0:
            raise self.refuse(key, "a whole number is expected")
        return value

    def real(self, key: str, missing: Any = _NONE) -> float:
        """A number."""
        value = self.get(key, missing)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refuse(key, "a number is expected")
        return float(value)

    def boolean(self, key: str, missing: Any = _NONE) -> bool:
        """True or false."""
        value = self.get(key, missing)
        if not isinstance(value, bool):
            raise self.refuse(key, "true or false is expected")
        return value

    def choice(self, key: str, known: Mapping[str, Any], missing: Any = _NONE) -> Any:
        """What one of the known words stands for."""
        value = self.get(key, missing)
        if not isinstance(value, str) or value not in known:
            raise self.refuse(key, f"only {', '.join(known)} can be imported")
        return known[value]

    def refuse(self, key: str, reason: str) -> HeadscopeError:
        """The error for a value that cannot be."""
        return HeadscopeError(f"{self.path}: {key} = {self.values.get(key)!r}: {reason}")

    def model(self, **fields: Any) -> ModelConfig:
        """The configuration of a model with these fields.

        Raises:
            HeadscopeError: they do not fit together.
        """
        try:
            return parse_config(fields)
        except HeadscopeError as error:
            raise HeadscopeError(f"{self.path}: {error}") from error


def search_settings_of(settings: Settings, **fields: Any) -> SearchSettings:
    """How another toolkit would search, as a card says it.

    Raises:
        HeadscopeError: ours cannot search like that.
    """
    try:
        return parse_search(fields)
    except HeadscopeError as error:
        raise HeadscopeError(f"{settings.path}, {error}") from error


def parse_yaml(content: bytes, path: Path) -> dict[str, Any]:
    """The plain values of a YAML file; nothing in it is run.

    Raises:
        HeadscopeError: it is no YAML, holds no settings, or asks for more than plain values; or there is no reader.
    """
    yaml = _yaml()
    try:
        values = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise HeadscopeError(f"{path} is not YAML, or asks for more than plain values") from error
    if not isinstance(values, dict):
        raise HeadscopeError(f"{path} holds no settings")
    return {str(key): value for key, value in values.items()}


def yaml_pairs(text: str, path: Path) -> list[tuple[str, str, int]]:
    """The pairs of a YAML mapping in their order, as text: no key counts as a number or a truth, none replaces another.

    YAML 1.2, as Marian reads it: U+0085, U+2028 and U+2029 are signs like others, while the library ends lines at them.

    Returns:
        key, value, and the line that the key stands in, from 1.

    Raises:
        HeadscopeError: it is no such mapping, or there is no reader.
    """
    yaml = _yaml()
    odd = {char for char in set(text) if char in _BREAKS or yaml.reader.Reader.NON_PRINTABLE.search(char)} - {"\ufeff"}
    spare = (chr(code) for code in range(0xF0000, 0xFFFFE) if chr(code) not in text)
    away = dict(zip(odd, spare, strict=False))
    back = str.maketrans({other: char for char, other in away.items()})
    try:
        node = yaml.compose(text.translate(str.maketrans(away)), Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "context_mark", None) or getattr(error, "problem_mark", None)
        place = "" if mark is None else f", line {mark.line + 1}"
        raise HeadscopeError(f"{path}{place}: a piece and its id are expected, in YAML") from error
    if not isinstance(node, yaml.MappingNode):
        raise HeadscopeError(f"{path}, line 1: a piece and its id are expected, in YAML")
    pairs = []
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not all(isinstance(one, yaml.ScalarNode) for one in (key, value)):
            raise HeadscopeError(f"{path}, line {line}: a piece and its id are expected")
        pairs.append((key.value.translate(back), value.value, line))
    return pairs


def _yaml() -> ModuleType:
    try:
        return importlib.import_module("yaml")
    except ImportError as error:
        raise HeadscopeError("the package pyyaml is not installed: pip install 'headscope[import]'") from error


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
