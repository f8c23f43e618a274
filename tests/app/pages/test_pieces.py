"""Sentences typed as pieces, and checkpoints that take nothing else."""

from dataclasses import replace

import numpy as np
import pytest
import streamlit as st

from headscope.app.view import session
from headscope.app.view.sidebar import NO_TEXT
from headscope.app.view.state import to_query
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.checkpoint import save_checkpoint
from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from tests.app.page_tools import SENTENCE, sent, settle, shown, weights


@pytest.fixture(scope="module")
def letters(reverser, tmp_path_factory):
    """A checkpoint that writes letters backwards, and asks for a search of its own."""
    path = tmp_path_factory.mktemp("letters") / "letters"
    search = SearchSettings(beam=2, penalty=LengthPenalty(1.0, "power"), longest=5)
    save_checkpoint(path, reverser.model, reverser.vocabulary, ("ab", "ba"), search=search)
    return path


@pytest.fixture
def bench(checkpoint, letters):
    return Workbench({"toy": checkpoint, "letters": letters})


@pytest.fixture
def open_letters(open_app, checkpoint, letters, monkeypatch):
    """Opens the head page of a server with a checkpoint for text, and one for letters."""

    def visit(**params):
        monkeypatch.setattr(session, "checkpoint_folders", lambda places: {"toy": checkpoint, "letters": letters})
        st.cache_resource.clear()
        return open_app(**params)

    return visit


def pieces(maps) -> list[str]:
    return [token.piece for token in maps.source.tokens[:-1]]


def test_pieces_are_read_as_the_text_they_spell(bench):
    text = Sentence("toy", SENTENCE, 4, 0.6)
    typed = replace(text, source=sentences.spelt(bench, text), entry="pieces")
    plain, spelt = sentences.read(bench, text).maps, sentences.read(bench, typed).maps
    assert typed.source.split() == pieces(spelt) == pieces(plain)
    assert spelt.source.text == typed.source
    for kind in ("encoder", "decoder", "cross"):
        for one, other in zip(plain.layers(kind), spelt.layers(kind), strict=True):
            np.testing.assert_array_equal(one, other)
    assert sentences.spelt(bench, typed) == SENTENCE
    assert sentences.without(bench, typed, (), "zero").before.text == " ".join(
        token.piece for token in spelt.predicts.tokens if not token.special
    )


def test_symbols_of_a_checkpoint_without_a_text_model(bench, tmp_path, letters):
    assert bench.symbols("toy") == ()
    assert "".join(bench.symbols("letters")) == "abcdefghijklmnopqrstuvwxyz"
    (tmp_path / "config.json").write_bytes((letters / "config.json").read_bytes())
    with pytest.raises(HeadscopeError, match=r"vocabulary\.json"):
        Workbench({"broken": tmp_path}).symbols("broken")


def test_a_checkpoint_is_searched_as_it_wants(bench, reverser):
    found = sentences.read(bench, Sentence("letters", "a b c d e f g", 2, 1.0, "pieces"))
    assert len(found.pair.target.ids) == 5
    assert len(reverser.in_pieces().translate(["a b c d e f g"])[0].hypotheses[0].pieces) > 5


def test_the_page_takes_pieces_alone_and_says_so(open_letters):
    page = open_letters(checkpoint="letters", source="d c b a", entry="text", unit="words")
    assert f":small[:gray[{NO_TEXT}]]" in [text.value for text in page.sidebar.markdown]
    assert (shown(page).entry, shown(page).unit) == ("pieces", "pieces")
    strip = sent(page, "headscope_strip")
    assert [label["full"] for label in strip["source"]["labels"]] == ["d", "c", "b", "a", "</s>"]
    assert "beam 2, length penalty 1 (power)" in [fact["text"] for fact in strip["facts"]]
    keys = [element.key for element in page.get("button_group")]
    assert "view-entry" not in keys
    assert "view-unit" not in keys


def test_the_example_of_a_checkpoint_without_a_text_model(open_letters):
    page = open_letters(checkpoint="letters", source="  ")
    assert sent(page, "headscope_strip")["source"]["text"] == "a b c d e f g h i j"


def test_text_becomes_pieces_and_pieces_become_text(open_letters):
    page = open_letters(pin="source.2", unit="words")
    page.get_by_key("view-entry").set_value("pieces").run()
    assert not page.exception
    view = shown(page)
    assert (view.entry, view.unit, view.pin) == ("pieces", "pieces", None)
    assert view.source.startswith("▁We ▁")
    assert page.get_by_key("view-source").value == view.source
    spelt = weights(page)

    other = open_letters(**to_query(view))
    assert shown(other) == view
    np.testing.assert_array_equal(weights(other), spelt)

    page.get_by_key("view-entry").set_value("text").run()
    assert not page.exception
    assert (shown(page).source, shown(page).entry) == (SENTENCE, "text")
    np.testing.assert_array_equal(weights(page), spelt)


def test_every_sentence_of_a_text_is_spelt_and_the_one_in_view_stays(open_letters):
    page = open_letters(source=f"A cat.\n{SENTENCE}", line="2")
    page.get_by_key("view-entry").set_value("pieces").run()
    assert not page.exception
    assert shown(page).sentence.startswith("▁We ▁")
    assert len(shown(page).source.split("\n")) == 2
    page.get_by_key("view-entry").set_value("text").run()
    assert (shown(page).source, shown(page).line) == (f"A cat.\n{SENTENCE}", 1)


def test_a_sentence_that_cannot_be_read_stays_as_it_is(open_letters):
    page = open_letters(source=" ")
    page.get_by_key("view-entry").set_value("pieces").run()
    assert not page.exception
    assert (shown(page).source, shown(page).entry) == ("", "pieces")
    assert sent(page, "headscope_strip")["source"]["labels"]


def test_another_checkpoint_brings_its_own_example_and_search(open_letters):
    page = open_letters()
    page.get_by_key("view-checkpoint").set_value("letters").run()
    assert not page.exception
    view = shown(page)
    assert (view.source, view.entry, view.beam, view.length_penalty) == ("a b c d e f g h i j", "pieces", 2, 1.0)
    page.get_by_key("view-checkpoint").set_value("toy").run()
    assert not page.exception
    view = shown(page)
    assert (view.entry, view.beam, view.length_penalty) == ("text", 4, 0.6)
    assert view.source == session.first_view(session.workbench(), "toy").source


def test_the_transliteration_model_of_another_toolkit(open_app, shared, tmp_path, monkeypatch):
    from headscope.model.interop.ctranslate2_import import read_ctranslate2

    source = shared / "data/ct2_aren_transliteration/v2/aren-transliteration"
    read_ctranslate2(source, languages=("ar", "en")).save(tmp_path / "aren")
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: {"aren": tmp_path / "aren"})
    st.cache_resource.clear()
    page = settle(open_app(source="آ ت ز م و ن"))
    strip = sent(page, "headscope_strip")
    assert strip["output"]["text"].replace(" ", "") == "atzmon"
    assert [label["text"] for label in strip["source"]["labels"]][:6] == list("آتزمون")
    assert strip["source"]["language"] == "ar"
