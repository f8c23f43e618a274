"""The page of a server that trains, opened without a browser."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import headscope.app
from headscope.app import server
from headscope.app.view import session
from headscope.app.workbench import texts as texts_module
from headscope.app.workbench import training as training_module
from tests.app.page_tools import page_files, settle
from tests.app.training import write_text


@pytest.fixture
def places(checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders of a server: runs, data and shelf."""
    shutil.copytree(checkpoint, tmp_path / "shelf" / "toy")
    write_text(tmp_path / "data")
    text = write_text(tmp_path / "shipped", "tatoeba-en-de-text")
    (text.folder / "data.json").write_text('{"name": "tatoeba-en-de"}')
    monkeypatch.setattr(texts_module, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv(session.CHECKPOINTS, str(tmp_path / "shelf"))
    monkeypatch.setenv(session.RUNS, str(tmp_path / "runs"))
    monkeypatch.setenv(session.DATA, str(tmp_path / "data"))
    monkeypatch.setattr(server, "listens_to_this_machine_alone", lambda: True)
    return tmp_path


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that would be started; none is."""
    found: list[list[str]] = []

    class Process:
        def __init__(self, command: list[str], **options) -> None:
            found.append(command)

        def wait(self) -> int:
            return 0

    monkeypatch.setattr(training_module.subprocess, "Popen", Process)
    return found


@pytest.fixture
def visit(places: Path):
    """Opens the page as a new visitor."""
    st.cache_resource.clear()

    def visit(**params: str) -> AppTest:
        page = AppTest.from_file(Path(headscope.app.__file__).with_name("pages") / "main.py", default_timeout=60)
        page.query_params.update(params)
        page.switch_page(page_files()["runs"])
        return settle(page)

    yield visit
    st.cache_resource.clear()


Visit = Callable[..., AppTest]
