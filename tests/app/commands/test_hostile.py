"""Whatever is given to a command, it ends with one plain line and no traceback.

Every option of every command is tried, and every environment variable that is read; a new one is covered by itself.

What takes long or reaches the network is cut off behind the checks: training, studies, the server, downloads.
"""

import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
import streamlit as st
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as given_by
from typer.core import TyperGroup
from typer.main import get_command

from headscope.analysis import benchmarks
from headscope.analysis.gallery import find
from headscope.analysis.positions import experiment
from headscope.analysis.search import curves
from headscope.app.commands.cli import cli, run
from headscope.model.data import download
from headscope.model.errors import HeadscopeError
from headscope.model.interop import hub
from headscope.model.training.loop import TrainingLoop
from tests.app.commands.measuring import copied, write_data
from tests.toys import SENTENCES

ROOT = Path(__file__).parents[3]
NUMBERS = ("-1", "0", "1.5", "nan", "inf", "-1e400", "9" * 30, "-" + "9" * 30, "9" * 5000, "18446744073709551617", "²")
NAMES = ("", " ", "absent", "absent/x", "file", "folder", "x" * 5000, "a\udce9", "\n", "☃", "--", "</s>", "[%s")
LISTS = (",", "a,b,c", "k=v", "=", "seed=18446744073709551617", "model.d_model=0", "a.b=1", ".=1", "x=file,folder")
DEVICES = ("cuda:99", "cuda:-1", "meta", "cpu:9")
HOSTILE = (*NUMBERS, *NAMES, *LISTS, *DEVICES)
"""Of the wrong type, negative, huge, empty, no text, missing or of another kind. No path leads out of the folder of the
test, for commands replace what they are told to write; and none is a pipe, which would be waited for."""
USUAL: dict[str, str] = {
    "--checkpoint": "toy",
    "--checkpoints": "toy",
    "--source": "text",
    "--reference": "text",
    "--data": "data",
    "--recipe": "tiny",
    "--run": "run",
    "--from": "folder",
    "--out": "made.json",
    "--beam": "1",
    "--exact": "1",
    "--nodes": "1",
    "--port": "0",
    "name": "tatoeba-en-de",
    "file": "text",
    "model": "folder",
}
"""What stands in the place of an option that is not hostile, where it must or should be given; "x" for any other."""
SHORT = {"study": {"--beam", "--exact", "--nodes"}, "app": {"--port", "--checkpoints"}, "data": {"--from"}}
"""Options that are given although they need not be: without them a command would take long."""


def leaves(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command, by the words that call it."""
    if isinstance(command, TyperGroup):
        for below, each in command.commands.items():
            yield from leaves(each, f"{name} {below}".strip())
    else:
        yield name, command


COMMANDS = dict(leaves(get_command(cli)))


def variables() -> list[str]:
    """The environment variables that the project reads: their names, and the constants that hold such names."""
    texts = [path.read_text("utf-8") for layer in ("model", "analysis", "app") for path in (ROOT / layer).rglob("*.py")]
    named = {name for text in texts for name in re.findall(r'environ(?:\.get\(|\[)"([A-Z_]+)"', text)}
    return sorted(named | {"HEADSCOPE_CHECKPOINTS", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"})


def words(command: str, hostile: dict[str, str]) -> list[str]:
    """A command line with these values, and usual ones for what else has to be given."""
    found, arguments = command.split(), []
    for parameter in COMMANDS[command].params:
        option = parameter.opts[-1]
        wanted = option in hostile or parameter.required or option in SHORT.get(command, ())
        value = hostile.get(option, USUAL.get(option, "x"))
        if not option.startswith("-"):
            arguments += [value] if wanted else []
        elif getattr(parameter, "is_flag", False):
            found += [option] if option in hostile else []
        elif wanted:
            found.append(f"{option}={value}")
    return [*found, "--", *arguments] if arguments else found


@given_by.composite
def lines(draw: given_by.DrawFn) -> list[str]:
    """A command with one or two options that are hostile."""
    command = draw(given_by.sampled_from(sorted(COMMANDS)))
    options = [parameter.opts[-1] for parameter in COMMANDS[command].params]
    chosen = draw(given_by.lists(given_by.sampled_from(options), min_size=1, max_size=2, unique=True))
    return words(command, {option: draw(given_by.sampled_from(HOSTILE)) for option in chosen})


@pytest.fixture(scope="module")
def place(checkpoint, tmp_path_factory):
    """A folder with something of everything, in which commands run; what takes long is cut off."""

    def enough(*arguments: Any, **options: Any) -> Any:
        raise HeadscopeError("what takes long is left out")

    def unreachable(*arguments: Any, **options: Any) -> Any:
        raise URLError("no network")

    folder = tmp_path_factory.mktemp("hostile")
    copied(checkpoint, folder / "toy")
    write_data(folder / "data", SENTENCES[:1], "test", "dev", "heldout")
    (folder / "text").write_text("We could not see.\n")
    (folder / "file").write_bytes(bytes(range(256)))
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(TrainingLoop, "run_on", enough)
        patch.setattr(st.App, "run", enough)
        patch.setattr(benchmarks, "measure", enough)
        patch.setattr(experiment, "run_experiment", enough)
        patch.setattr(find, "find_examples", enough)
        patch.setattr(curves, "search_study", enough)
        patch.setattr(download, "urlopen", unreachable)
        patch.setattr(hub, "locate", lambda name: Path(name))
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        for name in variables():
            patch.delenv(name, raising=False)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield folder


def ends_well(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Runs it; whatever it raises further is a traceback."""
    capsys.readouterr()
    code = run(arguments)
    said = capsys.readouterr().err
    assert code in (0, 1, 2)
    assert all(line.startswith("headscope: ") for line in said.splitlines())
    assert code == 0 or said


@pytest.mark.usefixtures("place")
@settings(
    max_examples=300,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(arguments=lines())
@example(arguments=["translate", "--checkpoint", "toy", "caf\udce9"])
@example(arguments=["search", "--checkpoint", "toy", "--source", "a\udce9"])
@example(arguments=["search", "--checkpoint", "toy", "--source", "a", "--force", "9" * 5000])
@example(
    arguments=["search", "--checkpoint", "toy", "--source", "a", "--sample", "1", "--seed", "18446744073709551617"]
)
@example(arguments=["search", "--checkpoint", "toy", "--source", "a", "--csv", "folder"])
@example(arguments=["search", "--checkpoint", "toy", "--source", "a", "--svg", "fifo"])
@example(arguments=words("train", {"--set": "seed=18446744073709551617"}))
def test_no_option_ends_in_a_traceback(arguments, capsys):
    ends_well(arguments, capsys)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", ["train", "translate", "data"])
@pytest.mark.parametrize("name", variables())
def test_no_environment_ends_in_a_traceback(command, name, capsys, monkeypatch):
    for value in ("", "auto", "2", "-1", "9" * 5000, "a\udce9", "file", "folder"):
        monkeypatch.setenv(name, value)
        line = words(command, {})
        ends_well([word for word in line if word != "--from=folder"], capsys)


def test_what_is_no_text_is_named(command):
    assert command("search", "--checkpoint", "toy", "--source", "caf\udce9").refuses(r"'caf\udce9' is not UTF-8")


@pytest.mark.usefixtures("place")
def test_several_processes_need_torchrun(command, monkeypatch):
    for size, reason in (("2", "WORLD_SIZE is 2 but RANK is not set"), ("auto", "WORLD_SIZE is 'auto'")):
        monkeypatch.setenv("WORLD_SIZE", size)
        assert command(*words("train", {})).refuses(reason, "start with torchrun, or unset")
