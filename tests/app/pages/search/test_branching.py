"""Branches of a search, and the way back."""

from dataclasses import replace

import pytest
import streamlit as st

from headscope.app.pages.search import branching
from headscope.app.pages.search.lanes import lanes as searched
from headscope.app.view import session
from headscope.app.view.state import View, to_query
from headscope.app.wire.beam_tree import NOTHING_TYPED
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.search.constraints import Constraints
from tests.app.page_tools import lanes, nodes, press, sent, shown
from tests.toys import SENTENCES

SOURCE = SENTENCES[3][0]
SENTENCE = Sentence("toy", SOURCE, 3, 0.6)


@pytest.fixture
def ask(monkeypatch, checkpoint, translator):
    """Asks for something in the trees, as a browser does, and gives what the session shows then."""
    bench, state = Workbench({"toy": checkpoint}, load=lambda folder: translator), {"view": View("toy", SOURCE, beam=3)}
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr(session, "change", lambda **fields: state.update(view=replace(state["view"], **fields)))

    def ask(**wanted) -> dict:
        monkeypatch.setattr(branching, "said", lambda component, name: wanted if name == "wanted" else wanted["typed"])
        if "typed" in wanted:
            branching.typed()
        else:
            branching.act(bench, SENTENCE, searched(bench, SENTENCE, state["view"]))
        first = searched(bench, SENTENCE, state["view"])[0]
        return state | {
            "offers": branching.offered(bench, SENTENCE, first),
            "lanes": searched(bench, SENTENCE, state["view"]),
        }

    return ask


def test_pieces_are_forced_and_forbidden(ask, translator):
    word = translator.vocabulary.encode("Jedenfalls", "target").ids
    state = ask(verb="force", lane="a", path=[*word])
    assert state["view"].search.branches == (Constraints(prefix=word),)
    node = state["view"].search.node
    assert (node.lane, node.step) == ("1", len(word) - 1)
    assert state["lanes"][1].record.trace.steps[node.step].candidates[node.index].forced
    assert state["lanes"][1].record.trace.hypotheses[0].pieces[: len(word)] == word
    state = ask(verb="forbid", lane="1", path=[*word, 9])
    assert state["view"].search.branches[1] == Constraints(prefix=word, forbidden=frozenset({(*word, 9)}))
    state = ask(verb="close", lane="1", path=[])
    assert len(state["view"].search.branches) == 1


def test_what_cannot_be_searched_is_said(ask):
    state = ask(verb="force", lane="a", path=[99999])
    assert state["view"].search.branches == ()
    assert "there is no piece 99999" in state[branching.PROBLEM][1]
    assert ask(verb="force", lane="9", path=[1])["view"].search.branches == ()


def test_what_is_typed_is_looked_up(ask, translator):
    assert ask(typed="  ")["offers"] == NOTHING_TYPED
    found = ask(typed="_Jeden")["offers"]
    assert found.typed == "_Jeden"
    spelt = ["".join(label.full for label in offer.labels) for offer in found.found]
    assert spelt
    assert all(text.startswith("▁J") for text in spelt)
    assert ask(typed=["<b>"])["offers"] == NOTHING_TYPED


def test_a_branch_in_the_address_and_the_way_back(open_app):
    page = open_app("search")
    (a,) = lanes(page)
    page.get_by_key("search-beginning").set_value("Jeden Abend")
    press(page, "search-begin")
    branch = lanes(page)[1]
    assert branch["found"][0]["text"].startswith("Jeden Abend")
    assert branch["parts"] is not None
    assert "another translation, from piece 1 on" in branch["note"]
    assert "score −" in branch["note"]
    told = sent(page, "headscope_beam_tree")
    assert (told["told"]["lane"], told["turn"]) == ("1", 2)
    forced = [node for node in nodes(branch) if node["forced"]]
    assert [node["piece"] for node in forced] == list(shown(page).search.branches[0].prefix)
    assert page.query_params == to_query(shown(page))
    assert lanes(open_app("search", **page.query_params)) == lanes(page)
    press(page, "search-undo")
    assert lanes(page) == [a]
    assert page.get_by_key("search-undo").disabled


def test_an_empty_beginning_says_so(open_app):
    page = open_app("search")
    page.get_by_key("search-beginning").set_value("  ")
    press(page, "search-begin")
    assert len(lanes(page)) == 1
    assert any("the field is empty: type how the translation begins" in text.value for text in page.text)


def test_what_is_wrong_with_a_branch_is_said_in_its_place(open_app):
    page = open_app("search", branches="7,8,9,10")
    page.get_by_key("search-beginning").set_value("der")
    press(page, "search-begin")
    assert len(lanes(page)) == 5
    assert any("4 branches stand side by side: close one first" in text.value for text in page.text)
    broken = open_app("search", branches="99999")
    assert "Not searched: there is no piece 99999" in lanes(broken)[1]["ended"]
