"""What the README shows is so."""

import re
import stat
from pathlib import Path

import pytest

from headscope.app.commands.cli import run
from headscope.model.card import available

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
SHELL = [line for language, block in BLOCKS if language == "sh" for line in block.splitlines()]
COMMANDS = [match[0] for line in SHELL for match in re.finditer(r"headscope \w+(?: +[^|&]+)?$", line)]


def test_the_two_lines_that_do_everything():
    assert "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/headscope app" in SHELL
    assert "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest -n auto" in SHELL


def test_ci_runs_the_readmes_line():
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & stat.S_IXUSR
    pattern = re.search(r"grep -m 1 '(.*?)' README.md", script.read_text())
    assert pattern
    found = [line for line in README.splitlines() if re.search(pattern[1], line)]
    assert found == ["python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest -n auto"]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_have_the_options_shown(line, capsys):
    words = line.split()
    assert run([words[1], "--help"]) == 0
    offered = capsys.readouterr().out.split()
    assert [word for word in words[2:] if word.startswith("--") and word not in offered] == []


def test_every_command_is_in_the_table(capsys):
    run(["--help"])
    offered = re.findall(r"^  (\w+) ", capsys.readouterr().out.split("Commands:")[1], re.MULTILINE)
    assert sorted(offered) == sorted(re.findall(r"^\| `headscope (\w+)` \|", README, re.MULTILINE))


def test_python_example(capsys):
    (example,) = [block for language, block in BLOCKS if language == "python"]
    exec(example, {})
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_checkpoint_it_names_ships():
    assert set(re.findall(r"tatoeba-en-de-\w+", README)) <= set(available())


def test_files_it_names_exist():
    assert [link for link in re.findall(r"\]\(([^)#:]+)\)", README) if not (ROOT / link).exists()] == []
