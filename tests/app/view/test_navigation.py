"""The table of pages."""

from pathlib import Path

import headscope.app
from headscope.analysis.experiments import grids
from headscope.analysis.gallery.questions import QUESTIONS
from headscope.app.view.navigation import FIRST, PAGES, hidden

FOLDER = Path(headscope.app.__file__).with_name("pages")


def test_every_page_has_a_line():
    loose = {path.name for path in FOLDER.glob("[a-z]*.py")} - {"main.py"}
    folders = {f"{path.name}/{path.name}.py" for path in FOLDER.glob("[a-z]*/")}
    assert {page.file for page in PAGES.values()} == loose | folders
    assert all((FOLDER / page.file).is_file() for page in PAGES.values())


def test_pages_are_called_as_addresses_name_them():
    sentence = ["overview", "head", "inside", "training", "what_if", "why", "search", "positions", "compare"]
    assert list(PAGES) == [*sentence, "ablations", "gallery", "models", "runs"]
    assert FIRST in PAGES


def test_questions_of_the_gallery_open_pages_that_are_there():
    assert {question.page for question in QUESTIONS.values()} <= set(PAGES)


def test_a_page_without_results_is_not_offered(monkeypatch, tmp_path):
    monkeypatch.setattr(grids, "KEPT", tmp_path)
    assert hidden() == {"ablations"}
    (tmp_path / "toy" / "results").mkdir(parents=True)
    assert not hidden()
