"""The types by which the components' scripts are checked are those of what Python sends."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from headscope.analysis.records.attention_maps import Quantity
from headscope.app.components.component import Component
from headscope.app.wire.beam_tree import NodeRow
from headscope.app.wire.file import File
from headscope.model.sites import AttentionKind

NAMES = (
    *(
        "attend",
        "beam_tree",
        "compare",
        "course",
        "enter",
        "guide",
        "head_map",
        "heat",
        "help",
        "inside",
        "keys",
        "lines",
        "sheet",
    ),
    *("strip", "versions", "wall", "why"),
)
COMPONENTS: list[Component] = [
    getattr(import_module(f"headscope.app.components.{name}.{name}"), name.upper()) for name in NAMES
]
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}
NAMED = {AttentionKind: "Kind", Quantity: "Quantity", NodeRow: "NodeRow"}
_TYPEDEF = re.compile(r"@typedef \{object\} (?P<name>\w+).*?\*/", re.DOTALL)
_PROPERTY = re.compile(r"@property \{(?P<type>.+?)\} (?P<name>\w+)(?=\s)")


def script_type(hint: Any) -> str:
    """A type of Python as JSDoc has it, once it has gone through JSON."""
    if name := (PLAIN | NAMED).get(hint):
        return name
    if is_dataclass(hint):
        return hint.__name__
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in parts)
    if origin in (Union, UnionType):
        return " | ".join(map(script_type, parts))
    if origin is dict:
        return f"Record<string, {script_type(parts[1])}>"
    if origin is tuple and parts[-1] is not Ellipsis:
        return f"[{', '.join(map(script_type, parts))}]"
    each = script_type(parts[0])
    return f"({each})[]" if " " in each and each[0] != "[" else f"{each}[]"


def messages(root: Any) -> Iterator[type]:
    """A dataclass that is sent, and those inside it."""
    if is_dataclass(root):
        yield root
        for hint in get_type_hints(root).values():
            yield from messages(hint)
    for part in get_args(root):
        yield from messages(part)


def expected(message: Any) -> dict[str, str]:
    """Every field of a message by its name, with its type for the scripts."""
    hints = get_type_hints(message)
    return {field.name: script_type(hints[field.name]) for field in fields(message)}


def typedefs() -> dict[str, list[dict[str, str]]]:
    """Every object type that the scripts declare, by name."""
    found: dict[str, list[dict[str, str]]] = {}
    app = files("headscope.app")
    for script in [*app.joinpath("components").rglob("*.js"), app / "export" / "html.js"]:
        for block in _TYPEDEF.finditer(script.read_text(encoding="utf-8")):
            rows = {row["name"]: row["type"] for row in _PROPERTY.finditer(block[0])}
            found.setdefault(block["name"], []).append(rows)
    return found


SENT = {each.__name__: each for root in [*(made.message for made in COMPONENTS), File] for each in messages(root)}


@pytest.mark.parametrize("name", SENT)
def test_a_message_is_typed_once_and_as_it_is(name):
    assert typedefs()[name] == [expected(SENT[name])]


def test_every_component_is_here():
    folder = files("headscope.app.components")
    assert sorted(path.name for path in folder.iterdir() if (path / f"{path.name}.js").is_file()) == sorted(NAMES)
