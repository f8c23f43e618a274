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


@pytest.mark.parametrize(
    ("view", "params"),
    [*((name, {}) for name in PAGES if name not in ("gallery", "models")), ("head", {"target": "3.4.5"})],
)
def test_damaged_weights_are_named_on_every_page(only, view, params):
    (line,) = said(only(view, damage, **params))
    assert line.startswith("The model's log-probabilities of ")
    assert "its weights are damaged, or too large for this precision (the largest, 3e+38, is in 'encoder.1." in line
