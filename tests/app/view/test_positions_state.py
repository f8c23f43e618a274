"""What the page of positions shows, and its address."""

from hypothesis import given
from hypothesis import strategies as st

from headscope.app.view.codec import Part
from headscope.app.view.positions_state import (
    BASES,
    FORMULAS,
    FURTHEST,
    HEADS,
    HOWS,
    LENGTHS,
    MOST_DIMENSIONS,
    PRODUCTS,
    ROWS,
    SIDE_CHOICES,
    STACKS,
    VIEWS,
    WIDTHS,
    PositionsView,
)
from headscope.app.wire.position_charts import TERMS, WHOLE

PART = Part(PositionsView, prefix="p.")
states = st.builds(
    PositionsView,
    view=st.sampled_from(VIEWS),
    beside=st.booleans(),
    other=st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    differ=st.booleans(),
    length=st.integers(*LENGTHS),
    dimensions=st.sets(st.integers(0, 600), min_size=1, max_size=MOST_DIMENSIONS).map(lambda d: tuple(sorted(d))),
    product=st.sampled_from(PRODUCTS),
    centre=st.booleans(),
    rows=st.sampled_from(ROWS),
    stack=st.sampled_from(STACKS),
    head=st.integers(0, 20),
    term=st.sampled_from((WHOLE, *TERMS)),
    how=st.sampled_from(HOWS),
    sides=st.sampled_from(SIDE_CHOICES),
    token=st.integers(0, 600),
    to=st.integers(0, 600),
    by=st.integers(-FURTHEST, FURTHEST),
    formula=st.sampled_from(FORMULAS),
    width=st.integers(2, WIDTHS[1] // 2).map(lambda half: 2 * half),
    heads=st.integers(*HEADS),
    span=st.integers(*LENGTHS),
    base=st.floats(*BASES),
).map(PositionsView.settled)


@given(states)
def test_a_state_survives_its_address(state):
    assert PART.read("positions", PART.write("positions", state)) == state


def test_the_first_state_needs_no_address():
    assert PART.write("positions", PositionsView()) == {}
    assert PART.read("positions", {"view": "waves"}) == PositionsView()


def test_one_token_stands_on_one_side():
    assert PART.read("positions", {"p.sides": "both", "p.how": "move"}).sides == "source"
    assert PART.read("positions", {"p.sides": "both", "p.how": "offset"}).sides == "both"


def test_what_makes_no_sense_is_left_out_and_numbers_are_clamped():
    params = {"p.view": "all", "p.length": "99999", "p.dimensions": "3.1.3.-1", "p.width": "7", "p.other": ""}
    found = PART.read("positions", params)
    assert found == PositionsView(length=LENGTHS[1], width=6)
    many = PART.read("positions", {"p.dimensions": "9.8.7.6.5.4.3.2.1"})
    assert many.dimensions == (4, 5, 6, 7, 8, 9)
