"""What the page of a head over training shows beyond the View."""

import pytest

from headscope.app.view.codec import Part
from headscope.app.view.training_state import TrainingView
from headscope.app.wire.strip import Pin

PART = Part(TrainingView, prefix="t.")
VIEW = TrainingView(2, 9750, ("entropy", "end"), Pin("output", 3))


def test_it_is_the_same_from_the_address():
    written = PART.write("training", VIEW)
    assert written == {"t.sentence": "3", "t.step": "9750", "t.measures": "entropy,end", "t.pin": "output.4"}
    assert PART.read("training", written) == VIEW
    assert PART.write("training", TrainingView()) == {}


@pytest.mark.parametrize(
    "params", [{"t.step": "x"}, {"t.measures": "warmth"}, {"t.pin": "left.1"}, {"t.pin": "source.0"}]
)
def test_what_makes_no_sense_is_left_out(params):
    assert PART.read("training", params) == TrainingView()


def test_numbers_are_kept_in_bounds():
    assert PART.read("training", {"t.step": "-5", "t.sentence": "0"}) == TrainingView(step=0)
    assert PART.read("training", {"t.measures": "end,end,entropy"}).measures == ("end", "entropy")


def test_other_text_has_other_tokens():
    assert VIEW.anew() == TrainingView(2, 9750, ("entropy", "end"))
