"""Types and shapes, checked at every call of the package's functions and whenever one of its dataclasses is made."""

import dataclasses
import inspect
import typing
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import cache, wraps
from types import FunctionType
from typing import Any

import jaxtyping
import numpy as np
import torch
from beartype import BeartypeConf, beartype
from beartype.door import die_if_unbearable
from jaxtyping import AbstractArray, TypeCheckError, install_import_hook, jaxtyped

CONF = BeartypeConf(violation_type=TypeCheckError)


def check_packages(names: Sequence[str]) -> None:
    """Check what is imported from these packages from now on.

    The decorator that the import hook of jaxtyping puts before everything takes many times as long as the calls of toy
    models themselves: it binds a signature and checks each argument twice, with or without a shape. `checked` finds
    the same mistakes.
    """
    jaxtyping.jaxtyped = lambda **given: checked
    install_import_hook(list(names), "beartype.beartype")


def checked(found: Any) -> Any:
    """A function or class whose calls are checked: types by beartype, and shapes where some are annotated."""
    if inspect.isclass(found):
        if dataclasses.is_dataclass(found) and "__init__" in vars(found):
            found.__init__ = checked(found.__init__)
        return found
    if not isinstance(found, FunctionType):
        return jaxtyped(found, typechecker=beartype)
    hints = _hints(found)
    if not any(map(_has_shape, hints.values())):
        found.__annotations__ = hints
        return beartype(conf=CONF)(found)
    kinds = {each.kind for each in inspect.signature(found).parameters.values()}
    if inspect.isgeneratorfunction(found) or kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        return jaxtyped(found, typechecker=beartype)
    found.__annotations__ = hints
    return _remembering(found, hints)


def _remembering(function: FunctionType, hints: dict[str, Any]) -> Callable:
    """Whether a call is right depends on types, shapes and numbers' formats alone: it is checked once for all calls
    that have them alike."""
    whole, signature = beartype(conf=CONF)(function), inspect.signature(function)
    right: dict[Hashable, set[Hashable]] = {}

    @wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        told = _told((*args, *named.values()))
        key = told and (told, *named)
        if not key or key not in right:
            with jaxtyped("context"):
                result = whole(*args, **named)
            if key:
                right[key] = {_told(result)}
            return result
        result = function(*args, **named)
        found = _told(result)
        if found is None or found not in right[key]:
            with jaxtyped("context"):
                for name, value in signature.bind(*args, **named).arguments.items():
                    die_if_unbearable(value, hints.get(name, Any), conf=CONF)
                die_if_unbearable(result, hints.get("return", Any), conf=CONF)
            right[key].add(found)
        return result

    return call


def _told(value: Any) -> Hashable:
    """All that a check goes by; None: it goes by more, as by the items of a list."""
    kind = type(value)
    if issubclass(kind, torch.Tensor | np.ndarray):
        return kind, value.shape, value.dtype
    if kind in (str, bool):
        return kind, value
    if kind is tuple:
        parts = tuple(map(_told, value))
        return None if None in parts else parts
    return None if _has_items(kind) else kind


@cache
def _has_items(kind: type) -> bool:
    return issubclass(kind, type) or (issubclass(kind, Collection) and not hasattr(kind, "_fields"))


def _hints(function: FunctionType) -> dict[str, Any]:
    """Annotations; one that cannot be resolved while its module is read may be anything."""
    hints = {}
    for name, hint in function.__annotations__.items():
        one = type("_", (), {"__annotations__": {name: hint}})
        try:
            hints |= typing.get_type_hints(one, function.__globals__, include_extras=True)
        except Exception:
            hints[name] = Any
    return hints


def _has_shape(hint: Any) -> bool:
    if inspect.isclass(hint) and issubclass(hint, AbstractArray):
        return True
    parts = hint if isinstance(hint, list | tuple) else typing.get_args(hint)
    return any(map(_has_shape, parts))
