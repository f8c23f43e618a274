"""Groups of options."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from headscope.app.commands.groups import grouped


@dataclass(frozen=True, kw_only=True)
class Size:
    width: Annotated[int, typer.Option(min=1, help="From left to right.")] = 2
    height: Annotated[int | None, typer.Option("--height", "-H")] = None


@dataclass(frozen=True, kw_only=True)
class Paint:
    colours: Annotated[list[str] | None, typer.Option("--colour")] = None


@pytest.fixture
def drawn():
    """A command with groups, and what it was called with."""
    calls = []

    @grouped
    def draw(name: str, *, size: Size, loud: Annotated[bool, typer.Option("--loud")] = False, paint: Paint) -> None:
        """Draw it."""
        calls.append((name, size, loud, paint))

    app = typer.Typer()
    app.command()(draw)

    def run(*arguments: str):
        calls.clear()
        outcome = CliRunner().invoke(app, arguments)
        return calls[0] if calls else outcome.output

    return run, draw


def test_a_group_is_its_fields(drawn):
    run, draw = drawn
    assert run("it") == ("it", Size(), False, Paint())
    assert run("it", "--width", "3", "-H", "4", "--loud", "--colour", "red", "--colour", "blue") == (
        *("it", Size(width=3, height=4), True, Paint(colours=["red", "blue"])),
    )
    assert list(inspect.signature(draw).parameters) == ["name", "width", "height", "loud", "colours"]
    assert (draw.__name__, draw.__doc__) == ("draw", "Draw it.")


def test_a_field_keeps_its_range_and_its_help(drawn):
    run, _ = drawn
    assert "'--width'" in run("it", "--width", "0")
    assert "From left to right." in run("--help")
