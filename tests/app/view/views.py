"""Views of a small model, the usual one and any."""

from hypothesis import strategies as st

from headscope.analysis.interventions.instead import INSTEAD
from headscope.analysis.measures.head_measures import MEASURES
from headscope.analysis.records.heads import Cell, Head
from headscope.app.view.head_state import SHARES, HeadView, SetWeight
from headscope.app.view.state import (
    ENTRIES,
    KINDS,
    ORDERS,
    PICTURES,
    QUANTITIES,
    REMOVAL,
    SCALES,
    SPECIALS,
    STOPS,
    UNITS,
    View,
    default_view,
    one_a_line,
)
from headscope.app.wire.strip import SIDES, Pin
from headscope.model.config import ModelConfig, StackConfig
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS

CONFIG = ModelConfig(
    d_model=8,
    encoder=StackConfig(layers=3, heads=4, feed_forward=8),
    decoder=StackConfig(layers=2, heads=2, feed_forward=8),
    source_vocabulary=10,
    target_vocabulary=10,
)
DEFAULT = default_view("shipped", CONFIG, "en")

sentences = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])).map(one_a_line)
views = st.builds(
    View,
    checkpoint=st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    source=sentences,
    entry=st.sampled_from(ENTRIES),
    beam=st.integers(*PAGE_BEAMS),
    length_penalty=st.floats(*ALPHAS),
    kind=st.sampled_from(KINDS),
    layer=st.integers(0, 100),
    head=st.integers(0, 100),
    pin=st.none() | st.builds(Pin, st.sampled_from(SIDES), st.integers(0, 2000)),
    unit=st.sampled_from(UNITS),
    special=st.sampled_from(SPECIALS),
    scale=st.sampled_from(SCALES),
    quantity=st.sampled_from(QUANTITIES),
    picture=st.sampled_from(PICTURES),
    beside=st.sets(st.integers(0, 20)).map(lambda heads: tuple(sorted(heads))),
    measure=st.sampled_from([*MEASURES, REMOVAL]),
    order=st.sampled_from(ORDERS),
    line=st.integers(0, 100),
    tour=st.integers(0, STOPS),
    off=st.none()
    | st.sets(st.builds(Head, st.sampled_from(KINDS), st.integers(0, 20), st.integers(0, 20))).map(
        lambda heads: tuple(sorted(heads))
    ),
    instead=st.sampled_from([*INSTEAD]),
    present=st.booleans(),
    detail=st.builds(
        HeadView,
        share=st.floats(*SHARES),
        set=st.none()
        | st.builds(
            SetWeight,
            st.builds(
                Cell,
                st.builds(Head, st.sampled_from(KINDS), st.integers(0, 20), st.integers(0, 20)),
                st.integers(0, 600),
                st.integers(0, 600),
            ),
            st.floats(0, 1),
        ),
    ),
)
