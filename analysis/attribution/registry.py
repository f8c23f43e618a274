"""All methods, and all that can be explained: what stands in the folders `methods` and `values`, a file each."""

import pkgutil
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any

from headscope.analysis.attribution import methods, values
from headscope.analysis.attribution.explained import Against, Explainable, Explained
from headscope.analysis.attribution.method import COSTS, Method
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.errors import HeadscopeError
from headscope.model.translator import Translator


def _all(package: ModuleType, name: str) -> list[Any]:
    """What every module of a package calls by this name."""
    modules = sorted(found.name for found in pkgutil.iter_modules(package.__path__))
    return [getattr(import_module(f"{package.__name__}.{module}"), name) for module in modules]


def _methods() -> list[Method]:
    return sorted(_all(methods, "METHOD"), key=lambda method: (COSTS.index(method.cost), method.name.lower()))


def _values() -> list[Explainable]:
    return sorted(
        _all(values, "EXPLAINABLE"), key=lambda value: (value.name != DEFAULT, value.against or "", value.name)
    )


DEFAULT = "log-probability"
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _methods()})
"""By name, the cheapest first."""
EXPLAINABLE: Mapping[str, Explainable] = MappingProxyType({value.name: value for value in _values()})
"""By name, the default first, and then what has to be told nothing."""


def explained(
    translator: Translator,
    pair: SentencePair,
    name: str = DEFAULT,
    *,
    text: str | None = None,
    other: Translator | None = None,
) -> Explained:
    """What `attribute` is to explain of a sentence pair, by its name in `EXPLAINABLE`.

    Args:
        text: of a piece that is contrasted with (None: the second-best of each row), or of a translation.
        other: the checkpoint that is contrasted with.

    Raises:
        HeadscopeError: there is none of that name, or what is contrasted with is missing or does not fit.
    """
    if name not in EXPLAINABLE:
        raise HeadscopeError(f"'{name}' cannot be explained: choose {', '.join(EXPLAINABLE)}")
    return EXPLAINABLE[name].make(translator, pair, Against(text, other))
