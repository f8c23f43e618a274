"""How a translation was searched: the same words and the same limits wherever it is said or asked."""

import json
import re

import pytest
import streamlit as st

from headscope.app.export.tree_figure import caption
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings, searched
from tests.app.page_tools import SENTENCE, sent

SETTINGS = SearchSettings(beam=2, penalty=LengthPenalty(-3.5))
WORDS = "beam 2, length penalty -3.5"


@pytest.fixture
def saved(monkeypatch):
    """What the buttons of a page would save, by their labels."""
    found = {}
    monkeypatch.setattr(st, "download_button", lambda label, data, **options: found.update({label: data}))
    return found


def test_one_way_to_say_it(open_app, saved, command, checkpoint, tmp_path):
    assert searched(SETTINGS) == WORDS
    page = open_app("search", beam="2", penalty="-3.5")
    assert WORDS in [fact["text"] for fact in sent(page, "headscope_strip")["facts"]]
    assert sent(page, "headscope_beam_tree")["lanes"][0]["how"] == WORDS
    assert f"; {WORDS}; ended by" in caption(saved["svg"].args[0])
    assert saved["svg"]().startswith(b"<?xml")
    open_app("head", beam="2", penalty="-3.5")
    assert f"; {WORDS}. Source" in saved["json"].args[0].caption

    asked = ("--checkpoint", checkpoint, "--source", SENTENCE, "--beam", 2, "--length-penalty", -3.5)
    assert f"Found with {WORDS}. Ended" in command("search", *asked, "--figure", tmp_path / "tree.svg").out
    drawn = " ".join(re.findall("<!-- (.*?) -->", (tmp_path / "tree.svg").read_text()))
    assert drawn.count(f"; {WORDS}; ended by") == 1
    assert command("attend", *asked, "--out", tmp_path / "maps.json").code == 0
    assert json.loads((tmp_path / "maps.json").read_text())["settings"] == WORDS


def test_inputs_go_by_the_limits(open_app):
    page = open_app("search")
    for key, limits in {
        "view-beam": PAGE_BEAMS,
        "view-length_penalty": ALPHAS,
        "search-beam": PAGE_BEAMS,
        "search-length_penalty": ALPHAS,
    }.items():
        element = page.get_by_key(key)
        assert (element.min, element.max) == limits
