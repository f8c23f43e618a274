"""The page of one head."""

import io

import numpy as np
import pytest
import streamlit as st

from headscope.analysis.capture.attention import attention_maps
from headscope.app.export.files import FORMS, Export
from headscope.app.view.head_state import toggled
from tests.app.page_tools import SENTENCE, sent, shown, weights


def test_the_map_is_the_record(open_app, translator):
    maps = attention_maps(translator, SENTENCE)
    for kind, layer, head in (("cross", 2, 1), ("encoder", 1, 3), ("decoder", 0, 0)):
        page = open_app(kind=kind, layer=str(layer + 1), head=str(head + 1))
        np.testing.assert_array_equal(weights(page), maps.layers(kind)[layer][head])


def test_rows_say_what_is_read_and_what_is_predicted(open_app):
    def names(labels) -> list[str]:
        return [label["full"] for label in labels]

    page = open_app()
    output = names(sent(page, "headscope_strip")["output"]["labels"])
    rows = sent(page, "headscope_head_map")["rows"]
    assert names(row["reads"] for row in rows) == ["<s>", *output[:-1]]
    assert names(row["predicts"] for row in rows) == output
    assert output[-1] == "</s>"
    encoder = sent(open_app(kind="encoder"), "headscope_head_map")
    assert [row["predicts"] for row in encoder["rows"]] == [None] * len(encoder["columns"])
    assert names(row["reads"] for row in encoder["rows"]) == names(encoder["columns"])


def test_lines_of_several_heads(open_app):
    page = open_app(picture="lines", kind="encoder", layer="1")
    assert [head["head"] for head in sent(page, "headscope_lines")["heads"]] == [0]
    # What the browser sends when colours are clicked cannot be sent from here.
    page = open_app(picture="lines", kind="encoder", layer="1", beside="3,4")
    data = sent(page, "headscope_lines")
    assert [head["head"] for head in data["heads"]] == [0, 2, 3]
    assert data["choices"] == [0, 1, 2, 3]
    page.get_by_key("view-kind").set_value("cross").run()
    assert not page.exception
    assert [head["head"] for head in sent(page, "headscope_lines")["heads"]] == [0]


@pytest.mark.parametrize(
    ("head", "beside", "clicked", "drawn"),
    [
        (0, (), 2, (0, (2,))),
        (0, (2, 3), 2, (0, (3,))),
        (0, (2, 3), 0, (2, (3,))),
        (1, (), 1, (1, ())),
        (1, (), None, (1, ())),
    ],
)
def test_a_click_on_a_colour_draws_its_head_or_leaves_it_out(head, beside, clicked, drawn):
    assert toggled(head, beside, clicked) == drawn


def test_how_much_of_each_row_is_drawn(open_app):
    page = open_app(picture="lines", share="0.5")
    few = sum(len(head["links"]["rows"]) for head in sent(page, "headscope_lines")["heads"])
    page.get_by_key("view-detail.share").set_value(1.0).run()
    assert not page.exception
    assert page.query_params["share"] == "1.0"
    data = sent(page, "headscope_lines")
    assert sum(len(head["links"]["rows"]) for head in data["heads"]) > few
    assert "make up 100% of its weight" in data["drawn"]


def test_contribution_is_defined_where_it_is_shown(open_app):
    for picture, name in (("matrix", "head_map"), ("lines", "lines")):
        assert sent(open_app(picture=picture), f"headscope_{name}")["meaning"] == ""
        shown = sent(open_app(picture=picture, quantity="contribution"), f"headscope_{name}")
        assert shown["meaning"].startswith("Contribution: the length of the vector")
    assert (
        "Contribution: the length of the vector"
        in sent(open_app("overview", quantity="contribution"), "headscope_wall")["key"]
    )


def test_colours_may_end_at_the_largest_weight(open_app):
    page = open_app()
    assert sent(page, "headscope_head_map")["most"] == 1
    page.get_by_key("view-scale").set_value("largest").run()
    assert not page.exception
    assert weights(page).max() <= sent(page, "headscope_head_map")["most"] < 1
    assert page.query_params["scale"] == "largest"


def test_what_is_shown_can_be_saved(open_app, monkeypatch, translator):
    saved = []
    monkeypatch.setattr(st, "download_button", lambda label, data, **options: saved.append((label, data, options)))
    open_app(kind="encoder", layer="2", head="3", special="hidden")
    assert [label for label, *_ in saved] == list(FORMS)
    assert saved[0][2]["file_name"] == "toy-encoder-2-3.npz"
    export = saved[0][1].args[0]
    assert isinstance(export, Export)
    assert export.languages == ("en", "de")
    assert "layer 2, head 3. toy; beam 4, length penalty 0.6, start and end symbols hidden." in export.caption
    with np.load(io.BytesIO(saved[0][1]())) as found:
        whole = attention_maps(translator, SENTENCE).encoder[1]
        np.testing.assert_allclose(found["encoder_2"][:, :, :-1], whole[:, :, :-1], atol=1e-5)
        assert (found["encoder_2"][:, :, -1] == 0).all()


def test_a_head_leads_to_what_made_the_model_say_this(open_app):
    page = open_app("head", pin="output.2", **{"why.method": "ALTI+"})
    next(button for button in page.button if button.label == "Why did the model say this?").click().run()
    assert not page.exception
    assert page.title[0].value == "Why did the model say this?"
    assert (shown(page).pin.side, shown(page).pin.index, shown(page).why.method) == ("output", 1, "ALTI+")
