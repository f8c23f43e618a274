"""The notebooks run from the first cell to the last, and show what they say."""

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from headscope.analysis.attribution.importance import removal_importance
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.table import Table

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> $x$"


@pytest.fixture(scope="module")
def shown() -> NotebookNode:
    """The tour, executed."""
    notebook = nbformat.read(ROOT / "notebooks" / "attention.ipynb", as_version=4)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(ROOT), env=environment)
    return notebook


def outputs(notebook: NotebookNode, form: str) -> list[str]:
    """What the cells show in one form."""
    found = (output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs)
    return [output.data[form] for output in found if form in output.get("data", {})]


def test_the_tour_runs_and_shows_its_results(shown):
    plain = outputs(shown, "text/plain")
    assert plain[0].startswith("'")
    assert plain[1].startswith("AttentionMaps of weights\n  source   'I have never read this book.'")
    assert len(outputs(shown, "image/svg+xml")) == 1
    assert len(outputs(shown, "text/html")) == 5  # tables
    errors = [output for cell in shown.cells for output in cell.get("outputs", []) if output.output_type == "stream"]
    assert {output.name for output in errors} == {"stdout"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)


def test_no_token_becomes_markup(translator):
    """What a notebook gets from results whose tokens look like HTML: escaped tables, and records as plain text."""
    maps, pair = attention_maps(translator, HOSTILE), sentence_pair(translator, HOSTILE)
    zeroed = what_if(translator, HOSTILE, Zeroed(translator.model.config, removal_importance(translator, pair).heads))
    assert not hasattr(maps, "_repr_html_")
    assert repr(HOSTILE) in repr(maps)
    effect = zeroed.effect
    assert isinstance(effect, Table)
    for table in (effect._repr_html_(), maps.to_pandas()._repr_html_()):
        assert table
        assert "&lt;" in table
        assert set(re.findall(r"<(\w+)", table)) <= {"div", "style", "table", "thead", "tbody", "tr", "th", "td", "p"}
