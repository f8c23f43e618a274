"""What the page of one head shows beyond the View."""

import pytest

from headscope.analysis.records.heads import Cell, Head
from headscope.app.view.codec import Part
from headscope.app.view.head_state import HeadView, SetWeight

PART = Part(HeadView)
SET = SetWeight(Cell(Head("decoder", 0, 7), 11, 0), 0.25)


def test_a_set_weight_counts_from_one_in_the_address():
    assert PART.write("detail", HeadView(set=SET)) == {"set": "decoder.1.8.12.1.0.25"}
    assert PART.read("detail", {"set": "decoder.1.8.12.1.0.25"}) == HeadView(set=SET)
    assert PART.write("detail", HeadView()) == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "cross.1.1.1.1",
        "sideways.1.1.1.1.0.5",
        "cross.0.1.1.1.0.5",
        "cross.1.1.1.0.0.5",
        "cross.1.1.1.1.nan",
        "cross.1.1.1.1.1.5",
        "cross.1.1.1.1.-0.5",
        "cross.1.1.99999.1.0.5",
        "cross.1.1.1.1.0.5.5",
    ],
)
def test_what_is_no_weight_is_none(text):
    assert PART.read("detail", {"set": text}) == HeadView()


def test_another_sentence_has_other_cells():
    assert HeadView(0.5, SET).anew() == HeadView(0.5)
