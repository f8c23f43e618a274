"""What keeps the house in order, besides the import contracts in pyproject.toml."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = sorted(path for folder in ("model", "analysis", "app") for path in (ROOT / folder).rglob("*.py"))
LONGEST = 320
TORCH_FREE = (
    "headscope.model.card",
    "headscope.model.config",
    "headscope.model.data.parallel_text",
    "headscope.model.data.prepared",
    "headscope.model.errors",
    "headscope.model.progress",
    "headscope.model.search.constraints",
    "headscope.model.search.penalty",
    "headscope.model.search.settings",
    "headscope.model.search.spelling",
    "headscope.model.search.trace",
    "headscope.model.text.vocabulary",
    "headscope.analysis.records.labels",
    "headscope.analysis.records.attention_maps",
    "headscope.analysis.search.comparison",
    "headscope.analysis.search.record",
    "headscope.analysis.search.study",
    "headscope.analysis.search.tree",
    "headscope.app.commands.cli",
    "headscope.app.workbench.searches",
    "headscope.app.workbench.sentences",
    "headscope.app.workbench.studies",
    "headscope.app.view.navigation",
    "headscope.app.view.state",
)
MIRRORED = ("model", "analysis", "app")
"""Folders of which every module that behaves has a test file."""
HEAVY = {"torch", "captum", "sacrebleu", "safetensors"}


def name(path: Path) -> str:
    """A file as it is called in the project."""
    return path.relative_to(ROOT).as_posix()


def test_packages_are_empty():
    assert [name(path) for path in CODE if path.name == "__init__.py" and path.read_text()] == []


def test_every_folder_of_code_is_a_package():
    folders = {path.parent for path in CODE}
    assert [name(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_files_can_be_read_in_one_sitting():
    lengths = {name(path): path.read_text().count("\n") for path in CODE}
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


def imports(body: list[ast.stmt]) -> Iterator[str]:
    """What is imported when a module is, as packages; `if TYPE_CHECKING` is not looked into."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", [path for path in CODE if path.is_relative_to(ROOT / "app")], ids=name)
def test_app_imports_what_is_heavy_in_functions(path):
    assert set(imports(ast.parse(path.read_text()).body)) & HEAVY == set()


def test_no_torch_where_none_is_needed():
    script = f"import sys, {', '.join(TORCH_FREE)}; print(sorted({HEAVY} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (found.stdout, found.stderr) == ("[]\n", "")


@pytest.mark.parametrize("path", [path for path in CODE if path.name != "__init__.py"], ids=name)
def test_what_is_public_is_described(path):
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    public = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    assert ast.get_docstring(tree), "the module has no docstring"
    assert [node.name for node in public if not ast.get_docstring(node)] == []


def mirrored(path: Path) -> Path:
    """Where the tests of a module stand."""
    return ROOT / "tests" / path.relative_to(ROOT).with_name(f"test_{path.name}")


def behaves(path: Path) -> bool:
    """Whether a module computes anything: a function in it, validators and methods too, is more than a declaration."""
    functions = (
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(not isinstance(line, ast.Pass) and not _bare(line) for node in functions for line in node.body)


def _bare(line: ast.stmt) -> bool:
    """A docstring, or an ellipsis."""
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def test_every_module_that_behaves_has_its_tests_where_the_tree_says():
    modules = [path for path in CODE if path.relative_to(ROOT).parts[0] in MIRRORED and behaves(path)]
    assert len(modules) > 50
    assert [name(path) for path in modules if not mirrored(path).exists()] == []
