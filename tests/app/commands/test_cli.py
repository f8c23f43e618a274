"""The command line: what is quick, what is refused, how it ends."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from headscope.app.commands.cli import cli, run
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from tests.app.commands.flags import FLAGS

ROOT = Path(__file__).parents[3]
SECONDS = 60
COMMANDS = ("app", "translate", "score", "attend", "attribute", "evaluate", "info", "data", "train", "benchmark")


def headscope(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    words = [sys.executable, "-m", "headscope", *map(str, arguments)]
    return subprocess.run(words, cwd=ROOT, encoding="utf-8", timeout=SECONDS, **options)


def test_help_names_every_command(capsys):
    assert run(["--help"]) == 0
    found = capsys.readouterr().out
    assert all(f"\n  {name} " in found for name in COMMANDS)


def test_no_command_is_a_question_for_help(capsys):
    assert run([]) == 0
    alone = capsys.readouterr().out
    assert run(["-h"]) == 0
    assert capsys.readouterr().out == alone


def test_every_command_has_help(capsys):
    for name in COMMANDS:
        assert run([name, "--help"]) == 0
        assert f"headscope {name}" in capsys.readouterr().out


def options_of(command: Any, name: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """The options of a command, or of each of those below it."""
    if isinstance(command, TyperGroup):
        for below, each in command.commands.items():
            yield from options_of(each, f"{name} {below}".strip())
    else:
        yield name, {" ".join(parameter.opts): parameter.default for parameter in command.params}


def test_every_option_is_there():
    assert dict(options_of(get_command(cli))) == FLAGS


def test_help_and_mistakes_load_nothing_heavy():
    heavy = ("torch", "streamlit", "plotly", "pandas", "sacrebleu", "captum", "sentencepiece")
    script = (
        "import sys; from headscope.app.commands.cli import run; run(['--help']); run(['translate']); "
        f"print(set({heavy}) & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert found.stdout.endswith("\nset()\n")


def test_version(capsys):
    import headscope

    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"headscope {headscope.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["tranlsate"], "tranlsate"),
        (["--fast"], "--fast"),
        (["translate"], "--checkpoint"),
        (["translate", "--chekpoint", "x"], "--chekpoint"),
        (["translate", "--checkpoint"], "--checkpoint"),
        (["translate", "--checkpoint", "x", "--beam", "0"], "--beam"),
        (["translate", "--checkpoint", "x", "--beam", "four"], "--beam"),
        (["translate", "--checkpoint", "x", "--batch-tokens", "0"], "--batch-tokens"),
        (["translate", "--checkpoint", "x", "--max-source-pieces", "-3"], "--max-source-pieces"),
        (["translate", "--checkpoint", "x", "--precision", "fp8"], "fp8"),
        (["translate", "--checkpoint", "x", "one", "two"], "two"),
        (["evaluate", "--checkpoint", "x", "--source", "absent", "--reference", "absent"], "absent"),
        (["info", "--preset", "base", "--vocabulary", "3"], "--vocabulary"),
    ],
)
def test_wrong_command_line(command, arguments, named):
    found = command(*arguments)
    assert found.refuses(named)
    assert "--help)" in found.err


@pytest.fixture
def failing(monkeypatch):
    """Makes `headscope info` raise."""

    def fail(error: BaseException) -> None:
        def raise_it(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("headscope.model.description.describe_preset", raise_it)

    return fail


PRESET = ("info", "--preset", "tiny", "--vocabulary", "100")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Cancelled()])
def test_interrupted(command, failing, error):
    failing(error)
    found = command(*PRESET)
    assert (found.code, found.out, found.err) == (130, "", "headscope: interrupted\n")


def test_what_the_user_can_put_right(command, failing):
    failing(HeadscopeError("the sky is blue: paint it"))
    found = command(*PRESET)
    assert (found.code, found.err) == (2, "headscope: the sky is blue: paint it\n")


@pytest.mark.parametrize("error", [ZeroDivisionError(), FileNotFoundError(2, "No such file or directory", "x")])
def test_a_fault_of_the_program_keeps_its_traceback(command, failing, error):
    failing(error)
    with pytest.raises(type(error)):
        command(*PRESET)


def test_what_the_machine_refuses(command, failing):
    failing(PermissionError(13, "Permission denied", "runs/mine"))
    found = command(*PRESET)
    assert (found.code, found.err) == (2, "headscope: runs/mine: Permission denied\n")


def test_nobody_reads():
    read, write = os.pipe()
    os.close(read)
    found = headscope("--help", stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (found.returncode, found.stderr) == (141, "")


def test_disk_is_full():
    with Path("/dev/full").open("w") as full:
        found = headscope("--help", stdout=full, stderr=subprocess.PIPE)
    assert (found.returncode, found.stderr) == (2, "headscope: output: No space left on device\n")


def test_output_is_utf8_whatever_the_locale_says():
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    found = headscope("info", "--preset", "€", "--vocabulary", 100, stderr=subprocess.PIPE, env=environment)
    assert found.returncode == 2
    assert "'€'" in found.stderr
