"""The settings in another toolkit's files, read so that every refusal names the key and its value."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headscope.model.config import ModelConfig, parse_config
from headscope.model.errors import HeadscopeError

_NONE = object()


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


def parse_yaml(content: bytes, path: Path) -> dict[str, Any]:
    """The plain values of a YAML file; nothing in it is run.

    Raises:
        HeadscopeError: it is no YAML, holds no settings, or asks for more than plain values; or there is no reader.
    """
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise HeadscopeError("the package pyyaml is not installed: pip install 'headscope[import]'") from error
    try:
        values = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise HeadscopeError(f"{path} is not YAML, or asks for more than plain values") from error
    if not isinstance(values, dict):
        raise HeadscopeError(f"{path} holds no settings")
    return values
