"""What pages say: their visitors give no commands, and see no options of them."""

import ast
import re
from pathlib import Path

import pytest

from headscope import app

ROOT = Path(app.__file__).parent
TEXTS = [file for wing in ("pages", "view", "wire") for file in sorted((ROOT / wing).rglob("*.py"))]
A_COMMAND = re.compile(r"(?<![\w-])--[a-z]|\bheadscope [a-z]+")


def words(file: Path) -> list[str]:
    """Every string of a file but those that stand for themselves, as docstrings do."""
    tree = ast.parse(file.read_text("utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone
    ]


def test_no_text_speaks_of_a_command():
    assert len(TEXTS) > 50
    assert {file.name: text for file in TEXTS for text in words(file) if A_COMMAND.search(text)} == {}


@pytest.mark.parametrize("text", ["made with `headscope train`", "give --beam 4"])
def test_a_text_that_does_is_found(text):
    assert A_COMMAND.search(text)
