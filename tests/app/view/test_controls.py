"""Controls that several pages share."""

import pytest

from headscope.app.view.controls import literal
from headscope.model.config import ModelConfig
from headscope.model.sites import Capabilities
from tests.app.page_tools import settle, shown


def test_how_to_read_this_is_three_sentences_and_the_equation(open_app):
    page = open_app()
    assert not page.latex
    page.session_state["how_to_read"] = True
    settle(page)
    assert page.markdown[-1].value.count(". ") == 2
    assert "QK^" in page.latex[0].value


def test_a_control_may_stand_for_a_field_of_a_pages_state(open_app):
    page = open_app("search", n_best="2")
    page.get_by_key("view-search.mode").set_value("mbr").run()
    assert not page.exception
    assert (shown(page).search.mode, shown(page).search.n_best) == ("mbr", 2)
    assert page.query_params["mode"] == "mbr"


@pytest.mark.parametrize("name", ["head", "overview", "what_if"])
def test_only_the_attention_that_the_model_has_is_to_choose_from(open_app, monkeypatch, name):
    has = Capabilities(("decoder", "cross"), residual_stream=True, position_limit=None)
    monkeypatch.setattr(ModelConfig, "capabilities", lambda self: has)
    page = open_app(name, kind="encoder")
    assert page.get_by_key("view-kind").options == ["Cross", "Decoder"]
    assert shown(page).kind == "cross"


def test_a_token_in_a_label_means_nothing_to_markdown():
    said = literal(":smile: *a* <b> www.x.org 是")
    assert said.replace("\\", "").replace("\u2060", "") == ":smile: *a* <b> www.x.org 是"
    assert said.startswith("\\:\u2060smile\\:\u2060 \\*\u2060a")
