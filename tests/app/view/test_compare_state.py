"""What the page that compares shows, and its address."""

from hypothesis import given
from hypothesis import strategies as st

from headscope.app.view.codec import Part
from headscope.app.view.compare_state import MATCHES, ORDERS, SHOWS, CompareView

PART = Part(CompareView, prefix="c.")
NAMES = ("tiny", "tiny@40", "tiny:without=cross.3.1", "other:offset=8:positionless")
states = st.builds(
    CompareView,
    shows=st.sampled_from(SHOWS),
    others=st.none() | st.lists(st.sampled_from(NAMES), max_size=3, unique=True).map(tuple),
    read=st.integers(0, 9),
    match=st.sampled_from(MATCHES),
    order=st.sampled_from(ORDERS),
).map(CompareView.settled)


@given(states)
def test_a_state_survives_its_address(state):
    assert PART.read("compare", PART.write("compare", state)) == state


def test_the_first_state_needs_no_address():
    assert PART.write("compare", CompareView()) == {}
    assert PART.read("compare", {"shows": "heads"}) == CompareView()


def test_names_are_read_again():
    assert PART.read("compare", {"c.others": "a:without=cross.2.1,cross.1.1|a:without=cross.2.1,cross.1.1|b"}) == (
        CompareView(others=("a:without=cross.1.1,cross.2.1", "b"))
    )
    assert PART.read("compare", {"c.others": "a|b|c|d|e"}) == CompareView(others=("a", "b", "c"))
    assert PART.lost("compare", {"c.others": "a:without=nothing"}) == {"c.others": ""}
    assert PART.read("compare", {"c.others": "a", "c.read": "4"}) == CompareView(others=("a",), read=1)
