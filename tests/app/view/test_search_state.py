"""What the search page shows, and its form in the address."""

from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.app.view.codec import Part
from headscope.app.view.search_state import (
    LIKENESSES,
    METHODS,
    MODES,
    MOST_BRANCHES,
    MOST_LETTERS,
    MOST_WORDS,
    Other,
    Place,
    SearchView,
    read_path,
)
from headscope.app.view.state import View
from headscope.app.view.state import from_query as view_from_query
from headscope.app.view.state import to_query as view_to_query
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.limits import (
    ALPHAS,
    PAGE_BEAMS,
    PAGE_LENGTHS,
    PAGE_SAMPLES,
    SEEDS,
    TEMPERATURES,
    TOP_K,
    TOP_P,
)
from headscope.model.search.penalty import PENALTY_KINDS
from headscope.model.search.settings import Sampling

PART = Part(SearchView)
to_query, from_query = partial(PART.write, "search"), partial(PART.read, "search")

paths = st.lists(st.integers(0, 50), min_size=1, max_size=6).map(tuple)


def constraints(prefix, forbidden) -> Constraints:
    try:
        return Constraints(prefix=prefix, forbidden=forbidden)
    except HeadscopeError:
        return Constraints(prefix=prefix)


branches = st.builds(constraints, st.just(()) | paths, st.frozensets(paths, max_size=3))
words = st.lists(st.sampled_from(["Hund", "ein Hund", "a,b", "&=%+", "日", "_", "a-b."]), max_size=4, unique=True).map(
    tuple
)
others = st.builds(
    Other,
    method=st.sampled_from(METHODS),
    beam=st.integers(*PAGE_BEAMS),
    length_penalty=st.floats(*ALPHAS),
    kind=st.none() | st.sampled_from(PENALTY_KINDS),
    longest=st.none() | st.integers(*PAGE_LENGTHS),
    samples=st.integers(*PAGE_SAMPLES),
    temperature=st.floats(*TEMPERATURES),
    top_k=st.none() | st.integers(*TOP_K),
    top_p=st.floats(*TOP_P),
    seed=st.integers(*SEEDS),
    must_not_contain=words,
)
places = st.builds(Place, st.sampled_from(["a", "b", "1", "4"]), st.integers(0, 600), st.integers(0, 40))
views = st.builds(
    SearchView,
    kind=st.none() | st.sampled_from(PENALTY_KINDS),
    longest=st.none() | st.integers(*PAGE_LENGTHS),
    n_best=st.integers(*PAGE_BEAMS),
    must_contain=words,
    other=st.none() | others,
    branches=st.lists(branches, max_size=MOST_BRANCHES).map(tuple),
    node=st.none() | places,
    pruned=st.booleans(),
    mode=st.sampled_from(MODES),
    likeness=st.sampled_from(LIKENESSES),
)


@given(views)
def test_a_view_survives_its_address(search):
    address = dict(parse_qsl(urlencode(to_query(search)), keep_blank_values=True))
    assert from_query(address) == search
    view = View("c", "text", target=(3, 4), search=search)
    assert view_from_query(view_to_query(view), View("c", "other")) == view


def test_what_is_in_the_address():
    assert to_query(SearchView()) == {}
    branch = Constraints(prefix=(5, 7), forbidden=frozenset({(5, 7, 9), (5, 2)}))
    search = SearchView(
        kind="power",
        must_not_contain=("ein Hund", "Sofa"),
        other=Other(beam=8, top_k=3, must_contain=("Katze",)),
        branches=(branch, FREE),
        node=Place("1", 2, 0),
        pruned=True,
    )
    assert to_query(search) == {
        "penalty_kind": "power",
        "must_not": "ein Hund|Sofa",
        "pruned": "1",
        "b": "1",
        "b.beam": "8",
        "b.top_k": "3",
        "b.must": "Katze",
        "branches": "5.7-5.2-5.7.9,",
        "node": "1.3.1",
    }


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"n_best": "99"}, SearchView(n_best=PAGE_BEAMS[1])),
        ({"longest": "-1"}, SearchView(longest=1)),
        ({"pruned": "perhaps", "mode": "<b>", "likeness": ""}, SearchView()),
        ({"must": " a |  b  c||a|"}, SearchView(must_contain=("a", "b c"))),
        ({"must_not": "|".join(map(str, range(99)))}, SearchView(must_not_contain=tuple(map(str, range(MOST_WORDS))))),
        ({"must_not": "x" * 999}, SearchView(must_not_contain=("x" * MOST_LETTERS,))),
        ({"node": "a.0.1"}, SearchView()),
        ({"node": "9.1.1"}, SearchView()),
        ({"node": "a.1"}, SearchView()),
        ({"node": "a.1." + "9" * 30}, SearchView()),
        ({"branches": "5.-1"}, SearchView()),
        ({"branches": "5-5"}, SearchView()),
        ({"branches": "x"}, SearchView()),
        ({"b.beam": "3"}, SearchView()),
        ({"b": "1", "b.temperature": "nan", "b.top_p": "7"}, SearchView(other=Other())),
        ({"b": "1", "b.beam": "2", "b.n_best": "9"}, SearchView(other=Other(beam=2, n_best=2))),
    ],
)
def test_values_that_make_no_sense(params, expected):
    assert from_query(params) == expected


@given(st.dictionaries(st.sampled_from(["b", "branches", "node", "longest", "b.top_p", "b.seed"]), st.text()))
def test_no_address_breaks_anything(params):
    search = from_query(params | {"b": "1"})
    assert from_query(to_query(search)) == search


def test_at_most_four_branches():
    assert len(from_query({"branches": ",".join("12345678")}).branches) == MOST_BRANCHES


def test_another_sentence_has_no_branches_and_no_node():
    search = SearchView(n_best=2, branches=(FREE,), node=Place("a", 0, 0), mode="mbr")
    assert search.anew() == SearchView(n_best=2, mode="mbr")


def test_b_draws_or_searches():
    assert Other().sampling is None
    drawn = Other(method="sample", samples=3, top_k=5, seed=7)
    assert drawn.sampling == Sampling(count=3, top_k=5, seed=7)


def test_a_path_is_not_negative():
    assert read_path("") == ()
    with pytest.raises(ValueError, match="-3"):
        read_path("1.-3")


def test_a_target_that_the_model_cannot_read_is_dropped(translator):
    from headscope.app.view.state import fit

    view = View("c", "text", target=(3, 359))
    assert fit(view, translator.model.config) == replace(view, target=(3, 359))
    for target in ((360,), ()):
        assert fit(replace(view, target=target), translator.model.config).target is None
