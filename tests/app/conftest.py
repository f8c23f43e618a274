"""The command line and the pages, run in this process."""

import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import headscope.app
from headscope.app.commands.cli import run
from headscope.app.view import session
from tests.app.page_tools import SENTENCE, page_files, settle


@pytest.fixture(scope="session", autouse=True)
def components_of_packages() -> Iterator[None]:
    """Every page that AppTest opens would read the metadata of all installed packages again: once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Puts the main module back, in whose place AppTest leaves the script of a page: new processes would run that."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.out.removesuffix("\n").split("\n")

    def refuses(self, *words: str) -> bool:
        """Whether it ended as it should on bad input: code 2, nothing written, and one line that has these words."""
        one_line = self.err.count("\n") == 1 and self.err.startswith("headscope: ")
        return self.code == 2 and self.out == "" and one_line and all(word in self.err for word in words)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs `headscope` with the given arguments."""

    def run_command(*arguments: object) -> Outcome:
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return run_command


@pytest.fixture
def open_app(checkpoint, tmp_path, monkeypatch):
    """Opens a page with an address, as a new visitor of a server with two checkpoints."""
    other = tmp_path / "other-en-de"
    other.symlink_to(checkpoint)
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: {"toy": checkpoint, "other": other})
    st.cache_resource.clear()

    def visit(view: str = "head", **params: str) -> AppTest:
        page = AppTest.from_file(Path(headscope.app.__file__).with_name("pages") / "main.py", default_timeout=60)
        page.query_params.update({"source": SENTENCE} | params)
        page.switch_page(page_files()[view])
        return settle(page)

    yield visit
    st.cache_resource.clear()
