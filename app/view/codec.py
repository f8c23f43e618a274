"""How the fields of a View stand in the address: a codec beside each, from which reading and writing follow.

A field says `Annotated[int, whole(1, 16)]`. What several pages show are fields of the View; what one page shows beyond
that is a `PageState`, which is one field of the View too.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Generic, Protocol, Self, TypeVar, get_type_hints

S = TypeVar("S")
T = TypeVar("T")


class Codec(Protocol):
    """What writes a field into the address, and reads it from there."""

    def write(self, field: str, value: Any) -> dict[str, str]:
        """The query parameters of a value."""
        ...

    def read(self, field: str, params: Mapping[str, str], otherwise: Any) -> Any:
        """The value that query parameters ask for; `otherwise` where it is missing or makes no sense."""
        ...

    def names(self, field: str) -> list[str]:
        """The query parameters it reads."""
        ...

    def lost(self, field: str, params: Mapping[str, str]) -> dict[str, str]:
        """Parameters whose value is not taken as it stands, and what is taken: blank where it makes no sense."""
        ...


@dataclass(frozen=True, slots=True)
class Word(Generic[T]):
    """A value as one parameter."""

    parse: Callable[[str], T]
    """Raises ValueError where a text makes no sense."""
    spell: Callable[[T], str | None] = str
    """None: the value does not stand there, as no value ever does that is None."""
    name: str = ""
    """Of the parameter; blank: that of the field."""

    def write(self, field: str, value: T | None) -> dict[str, str]:
        """The parameter."""
        text = None if value is None else self.spell(value)
        return {} if text is None else {self.name or field: text}

    def read(self, field: str, params: Mapping[str, str], otherwise: T) -> T:
        """The value of the parameter."""
        try:
            return self.parse(params[self.name or field])
        except (KeyError, ValueError):
            return otherwise

    def names(self, field: str) -> list[str]:
        """The one."""
        return [self.name or field]

    def lost(self, field: str, params: Mapping[str, str]) -> dict[str, str]:
        """The parameter, where it makes no sense or is another number than what is taken."""
        name = self.name or field
        if name not in params:
            return {}
        try:
            taken = self.spell(self.parse(params[name])) or ""
        except ValueError:
            return {name: ""}
        return {name: taken} if _other_number(params[name], taken) else {}


class PageState:
    """What one page shows beyond the View's own fields: a frozen dataclass, each field with a codec and a default."""

    __slots__ = ()

    def anew(self) -> Self:
        """The same for another sentence, without what means something in one sentence alone."""
        return self

    def settled(self) -> Self:
        """The same, with fields that fit each other."""
        return self


@dataclass(frozen=True, slots=True)
class Part:
    """A `PageState` as several parameters: what differs from its default alone, for other pages know nothing of it."""

    kind: type[PageState]
    prefix: str = ""
    """Before the names of its parameters."""
    mark: str = ""
    """A parameter that is 1 where there is such a state, and it is None elsewhere; blank: there always is."""

    def write(self, field: str, value: PageState | None) -> dict[str, str]:
        """The parameters."""
        if value is None:
            return {}
        usual, own = self.kind(), {self.mark: "1"} if self.mark else {}
        for name, codec in codecs(self.kind).items():
            if getattr(value, name) != getattr(usual, name):
                own |= {f"{self.prefix}{each}": text for each, text in codec.write(name, getattr(value, name)).items()}
        return own

    def read(self, field: str, params: Mapping[str, str], otherwise: object = None) -> PageState | None:
        """The state; what is missing in it or makes no sense is its default."""
        if self.mark and params.get(self.mark) != "1":
            return None
        start = len(self.prefix)
        own = {name[start:]: text for name, text in params.items() if name.startswith(self.prefix)}
        return read(own, self.kind()).settled()

    def names(self, field: str) -> list[str]:
        """The mark, and those of its fields."""
        own = [name for field, codec in codecs(self.kind).items() for name in codec.names(field)]
        return [*([self.mark] if self.mark else []), *(f"{self.prefix}{name}" for name in own)]

    def lost(self, field: str, params: Mapping[str, str]) -> dict[str, str]:
        """Those of its fields."""
        start = len(self.prefix)
        own = {name[start:]: text for name, text in params.items() if name.startswith(self.prefix)}
        return {f"{self.prefix}{name}": taken for name, taken in lost(own, self.kind).items()}


@cache
def codecs(kind: type) -> Mapping[str, Codec]:
    """The codecs of a class by its fields."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name].__metadata__[0] for field in fields(kind)}


def write(state: object) -> dict[str, str]:
    """All fields of a state as query parameters."""
    found = {}
    for name, codec in codecs(type(state)).items():
        found |= codec.write(name, getattr(state, name))
    return found


def read(params: Mapping[str, str], default: S) -> S:
    """The state that query parameters ask for; what is missing or makes no sense is taken from `default`."""
    found = {name: codec.read(name, params, getattr(default, name)) for name, codec in codecs(type(default)).items()}
    return replace(default, **found)  # pyright: ignore[reportArgumentType]


def lost(params: Mapping[str, str], kind: type) -> dict[str, str]:
    """Parameters whose value a state does not take as it stands, and what it takes: blank where it makes no sense."""
    return {name: taken for field, codec in codecs(kind).items() for name, taken in codec.lost(field, params).items()}


def unknown(params: Mapping[str, str], kind: type) -> list[str]:
    """Parameters that no field of a state reads."""
    known = {name for field, codec in codecs(kind).items() for name in codec.names(field)}
    return [name for name in params if name not in known]


def _other_number(text: str, taken: str) -> bool:
    """Whether both are numbers, and different ones."""
    try:
        return text != taken and float(text) != float(taken)
    except ValueError:
        return False


def whole(least: int, most: int, *, silent: bool = False) -> Word[int]:
    """A whole number; one out of range is clamped.

    Args:
        silent: 0 does not stand in the address.
    """
    return Word(
        lambda text: max(least, min(int(text), most)), lambda value: str(value) if value or not silent else None
    )


def number(least: float, most: float, *, name: str = "") -> Word[float]:
    """A finite number; one out of range is clamped."""

    def parse(text: str) -> float:
        if not math.isfinite(value := float(text)):
            raise ValueError(text)
        return max(least, min(value, most))

    return Word(parse, name=name)


def one_of(choices: Sequence[str], *, name: str = "") -> Word[str]:
    """One of a few words."""
    return Word(lambda text: choices[choices.index(text)], name=name)


def flag(*, silent: bool = False) -> Word[bool]:
    """1 or 0.

    Args:
        silent: 0 does not stand in the address.
    """
    return Word(lambda text: {"0": False, "1": True}[text], lambda value: "1" if value else None if silent else "0")


def counted(*, silent: bool = False) -> Word[int]:
    """An index, which the address counts from 1.

    Args:
        silent: the first one does not stand in the address.
    """
    return Word(lambda text: max(0, int(text) - 1), lambda index: str(index + 1) if index or not silent else None)
