"""The page of positions."""

import json

import pytest
import streamlit as st

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions import jobs
from headscope.analysis.positions.study import LENGTHS, position_study, save_position_study
from headscope.app.view import session
from headscope.app.view.charts import NOTHING
from headscope.app.view.positions_state import VIEWS
from headscope.app.view.state import to_query
from headscope.app.workbench import studies
from headscope.model.translator import load_translator
from tests.app.commands.measuring import copied
from tests.app.page_tools import SENTENCE, sent, settle, shown
from tests.toys import SENTENCES, brief, save_toy_checkpoint

MEASURED = (*SENTENCES, ("We see.", "Wir sehen."), ("She reads.", "Sie liest."))
ABOUT = ("made up", "CC0", "nobody")
SCHEMES = ("rotary", "alibi", "shaw", "t5", "none")


@pytest.fixture(scope="session")
def folders(checkpoint, learned, tmp_path_factory):
    """A sinusoidal checkpoint, its learned twin, and one of every other scheme."""
    folder = tmp_path_factory.mktemp("schemes")
    made = {}
    made["toy"] = copied(checkpoint, folder / "toy")
    made["learned"] = copied(learned, folder / "learned")
    twins = [brief(load_translator(made[name])) for name in ("toy", "learned")]
    few = {"bins": LENGTHS[:1], "most": 1, "offsets": (0, 2)}
    for own, other in (twins, twins[::-1]):
        save_position_study(position_study(own, Texts(MEASURED, *ABOUT), other, **few), own.card.path)
    for scheme in SCHEMES:
        made[scheme] = save_toy_checkpoint(folder / scheme, SENTENCES[:1], passes=4, positions=scheme)
    turned = [(target, source) for source, target in SENTENCES]
    made["back"] = save_toy_checkpoint(folder / "back", turned, ("de", "en"), passes=4, d_model=16)
    return made


@pytest.fixture
def open_positions(open_app, folders, monkeypatch, tmp_path):
    """Opens the page on a server with these checkpoints."""
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: folders)
    monkeypatch.setattr(studies, "examples", lambda bench, checkpoint: MEASURED)
    monkeypatch.setattr(jobs, "KEPT", tmp_path)
    st.cache_resource.clear()
    return lambda **params: open_app("positions", **params)


def charts(page) -> list[dict]:
    """The figures on the page, of lines, and then of maps."""
    drawn = [json.loads(element.proto.spec) for element in page.get("plotly_chart")]
    # The empty one loads what draws the others.
    return [figure for figure in drawn if figure["data"] != [*NOTHING]] + maps(page)


def maps(page) -> list[dict]:
    """Those that are maps."""
    found = [element.proto for element in page.get("bidi_component")]
    return [json.loads(proto.json) for proto in found if proto.component_name == "headscope_heat"]


def has_lanes(figure) -> bool:
    """Whether a figure says how often positions were trained."""
    return bool(figure["lanes"] if "lanes" in figure else [t for t in figure["data"] if t["type"] == "bar"])


def said(page) -> str:
    """All plain text on the page."""
    return " ".join(text.value for text in (*page.text, *page.caption))


COUNTS = {
    **dict.fromkeys(("head", "sentence", "corpus"), 4),
    "formula": 3,
    **dict.fromkeys(("what_if", "attention"), 0),
    "compared": 1,
    "experiment": 1,
}
OWN = ("what_if", "experiment", "formula")
"""Views that are not of two checkpoints side by side."""


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_of_twins_side_by_side(open_positions, view):
    page = open_positions(**{"p.view": view, "p.finding": "schemes"})
    found = charts(page)
    assert len(found) == COUNTS.get(view, 2)
    assert all(has_lanes(figure) for figure in found) == (view != "formula")
    for first, second in zip(maps(page)[::2], maps(page)[1::2], strict=False):
        if view != "formula":
            assert first["most"] == second["most"], "the same scale"
    assert page.get("download_button")
    if view not in OWN:
        assert "toy" in said(page)
        assert "learned" in said(page)
        assert ("Trained: in 1 %" in said(page)) == (view != "attention")


@pytest.mark.parametrize(
    ("scheme", "title", "drawn"),
    [
        ("rotary", "How far are queries and keys turned?", 3),
        ("alibi", "How much does a distance cost?", 1),
        ("shaw", "What stands for a distance?", 2),
        ("t5", "How much does a distance add?", 1),
        ("none", "What does it know of positions?", 0),
    ],
)
def test_other_schemes_show_what_takes_the_tables_place(open_positions, scheme, title, drawn):
    page = open_positions(checkpoint=scheme, **{"p.beside": "0"})
    assert page.title[0].value == title
    assert len(charts(page)) == drawn
    assert ("This checkpoint has no positions" in said(page)) == (scheme == "none")
    assert len(charts(open_positions(checkpoint=scheme, **{"p.beside": "0", "p.view": "training"}))) == 1


def test_the_address_holds_the_whole_state(open_positions):
    page = open_positions()
    page.get_by_key("view-positions.view").set_value("distance").run()
    page.get_by_key("view-positions.product").set_value("cosine").run()
    page.get_by_key("view-positions.length").set_value(64).run()
    page.get_by_key("view-positions.other").set_value("back").run()
    settle(page)
    assert page.query_params == to_query(shown(page))
    own = {name: value for name, value in page.query_params.items() if name.startswith("p.")}
    assert own == {"p.view": "distance", "p.product": "cosine", "p.length": "64", "p.other": "back"}
    assert "p.other=back" in sent(page, "headscope_strip")["link"]
    page.get_by_key("positions-part").set_value("What the model does with it").run()
    assert shown(page).positions.view == "head"


def test_what_draws_lines_is_loaded_before_any_are_asked_for(open_positions):
    page = open_positions()
    (early,) = page.get("plotly_chart")
    assert json.loads(early.proto.spec)["data"] == [*NOTHING]
    page.get_by_key("view-positions.view").set_value("pairs").run()
    assert not page.get("plotly_chart"), "once a session"


def test_the_difference_and_why_there_is_none(open_positions):
    page = open_positions(**{"p.view": "pairs", "p.differ": "1", "p.length": "40"})
    assert len(charts(page)) == 3
    assert "toy less learned" in said(page)
    page = open_positions(**{"p.view": "pairs", "p.differ": "1", "p.length": "64"})
    assert len(charts(page)) == 2
    assert "No difference: the maps are of different size, 64 × 64 and 48 × 48" in said(page)


def test_other_widths_are_compared_and_other_languages_refused_for_the_sentence(open_positions):
    assert len(charts(open_positions(**{"p.view": "pairs", "p.other": "back"}))) == 2
    page = open_positions(**{"p.view": "sentence", "p.other": "back"})
    assert len(charts(page)) == 2
    assert "Back reads 'de', the sentence is 'en'" in said(page)


def test_what_does_not_add_up_is_refused_with_a_reason(open_positions):
    page = open_positions(**{"p.view": "sentence", "p.other": "nobody"})
    assert len(charts(page)) == 2
    assert "There is no checkpoint 'nobody' here" in said(page)


def test_without_a_twin_the_page_says_so(open_positions):
    page = open_positions(checkpoint="back", source=SENTENCE)
    assert "No checkpoint here has the same languages" in said(page)
    assert len(charts(page)) == 1


def test_presenter_mode_has_charts_and_keys_alone(open_positions):
    page = open_positions(present="1", **{"p.view": "norms"})
    assert len(charts(page)) == 2
    assert not page.get("download_button")
    assert not page.get("segmented_control")
    assert any("view" in hint for hint in sent(page, "headscope_keys")["hints"])


def test_explanations_open(open_positions):
    page = open_positions(**{"p.view": "shift"})
    page.session_state["how_to_read"] = True
    page.run()
    assert not page.exception
    assert any("A random table" in text.value for text in page.markdown)
    assert page.latex
