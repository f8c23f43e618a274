"""A checkpoint that can be read and not be computed with, on every page; and what pages tell of the server."""

import shutil

import pytest
import streamlit as st

from headscope.app.view.navigation import PAGES
from tests.toys import damage


@pytest.fixture
def only(open_app, checkpoint, tmp_path, monkeypatch):
    """Opens a page of a server whose one checkpoint is a copy, which is changed before."""
    copy = shutil.copytree(checkpoint, tmp_path / "private" / "copy")
    monkeypatch.setattr("headscope.app.view.session.checkpoint_folders", lambda places: {"copy": copy})
    st.cache_resource.clear()

    def visit(view, change, **params):
        change(copy)
        return open_app(view, **params)

    return visit


def said(page) -> list[str]:
    """The lines of the problem."""
    return [text.value for text in page.container(key="problem").text]


WITHOUT_THE_MODEL = ("ablations", "gallery", "models", "runs", "training")
"""Pages that show what was kept, and compute nothing."""


@pytest.mark.parametrize(
    ("view", "params"),
    [*((name, {}) for name in PAGES if name not in WITHOUT_THE_MODEL), ("head", {"target": "3.4.5"})],
)
def test_damaged_weights_are_named_on_every_page(only, view, params):
    (line,) = said(only(view, damage, **params))
    assert line.startswith("The model's log-probabilities of ")
    assert "its weights are damaged, or too large for this precision (the largest, 3e+38, is in 'encoder.1." in line


@pytest.mark.parametrize("view", PAGES)
@pytest.mark.parametrize(
    "harm",
    [
        shutil.rmtree,
        lambda folder: (folder / "config.json").write_text("{"),
        lambda folder: (folder / "model.safetensors").write_bytes(b"x" * 100),
        lambda folder: (folder / "gallery.json").write_text("[]"),
        lambda folder: (folder / "profile.json").write_text("{}"),
        lambda folder: [file.unlink() for file in (folder / "vocabulary").iterdir()],
    ],
)
def test_no_page_tells_where_a_checkpoint_lies(only, view, harm, tmp_path):
    page = only(view, harm)
    told = [str(element) for element in page]
    assert not [text for text in told if str(tmp_path.parent) in text]
    assert any("copy" in text for text in told)


def test_a_folder_that_is_gone_is_named_as_visitors_know_it(only):
    assert said(only("head", shutil.rmtree)) == ["The folder of 'copy' is gone: choose another checkpoint."]
    assert said(only("head", lambda folder: folder.mkdir())) == [
        "'…/copy' is a folder without config.json: choose the folder of a checkpoint."
    ]
