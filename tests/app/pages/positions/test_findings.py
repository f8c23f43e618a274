"""Cards of the gallery that say what a study of positions shows."""

from urllib.parse import parse_qs

import pytest
import streamlit as st

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions.study import LENGTHS, position_study, save_position_study
from headscope.app.view import session
from headscope.model.translator import load_translator
from tests.app.commands.measuring import copied
from tests.toys import SENTENCES, brief

TITLE = "What does this model do with positions?"


@pytest.fixture(scope="module")
def studied(checkpoint, tmp_path_factory):
    folder = copied(checkpoint, tmp_path_factory.mktemp("gallery") / "studied")
    short = [("We see.", "Wir sehen."), ("She reads.", "Sie liest.")]
    texts = Texts([*SENTENCES, *short], "made up", "CC0", "nobody")
    few = {"bins": LENGTHS[:2], "most": 1, "sentences": 2, "offsets": (0,)}
    save_position_study(position_study(brief(load_translator(folder)), texts, **few), folder)
    return folder


@pytest.fixture
def open_gallery(open_app, checkpoint, studied, monkeypatch):
    """Opens the gallery on a server with a checkpoint that has a study, and one that has none."""
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: {"studied": studied, "toy": checkpoint})
    st.cache_resource.clear()
    return lambda **params: open_app("gallery", **params)


def test_cards_lead_to_their_views(open_gallery):
    page = open_gallery()
    assert TITLE in [header.value for header in page.header]
    assert "2 sentences: made up. CC0; attribution: nobody." in [text.value for text in page.main.text]
    links = [element.proto for element in page.main if element.type == "page_link" and element.proto.page != "why"]
    queries = [{name: values[0] for name, values in parse_qs(link.query_string).items()} for link in links]
    assert [link.page for link in links] == ["positions"] * len(links)
    assert {query["p.view"] for query in queries} >= {"what_if", "changes"}
    assert {query["checkpoint"] for query in queries} == {"studied"}
    shift = next(query for query in queries if query["p.view"] == "what_if")
    assert (shift["p.how"], shift["p.by"], shift["p.sides"]) == ("offset", "1", "both")


def test_without_a_study_there_are_none(open_gallery):
    assert TITLE not in [header.value for header in open_gallery(checkpoint="toy").header]
