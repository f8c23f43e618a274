"""Names of what is compared."""

import pytest

from headscope.analysis.comparison.naming import SideName, read_side
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("tiny", SideName("tiny")),
        ("runs/a@4000", SideName("runs/a", 4000)),
        ("C:\\models\\tiny", SideName("C:\\models\\tiny")),
        ("me@home/tiny", SideName("me@home/tiny")),
        ("tiny:without=cross.3.1", SideName("tiny", without=(Head("cross", 2, 0),))),
        (
            "tiny@0:without=cross.3.1,encoder.1.2:offset=8",
            SideName("tiny", 0, (Head("cross", 2, 0), Head("encoder", 0, 1)), offset=8),
        ),
        (
            "tiny:uniform=decoder.1.1:positionless",
            SideName("tiny", uniform=(Head("decoder", 0, 0),), positionless=True),
        ),
    ],
)
def test_a_name_says_what_it_names_and_back(text, side):
    assert read_side(text) == side
    assert str(side) == text
    assert read_side(str(side)) == side


def test_titles_are_in_words():
    side = read_side("tiny@4000:without=cross.3.1:offset=8")
    assert side.title == "tiny, update 4,000, without cross 3.1, positions +8"
    assert side.weights == "tiny@4000"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "names no checkpoint"),
        ("@4", "names no checkpoint"),
        ("tiny:offset=0", "offset=0: give a whole number"),
        ("tiny:offset=x", "offset=x"),
        ("tiny:offset=2000", "from 1 to 1,024"),
        ("tiny:without=cross.0.1", "names no head"),
        ("tiny:without=", "names no head"),
        ("tiny:offset=1:offset=2", "says offset twice"),
    ],
)
def test_what_makes_no_sense_is_refused(text, says):
    with pytest.raises(HeadscopeError, match=says):
        read_side(text)
