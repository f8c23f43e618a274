"""How to search, as `config.json` says it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import ALPHAS, BEAMS, LENGTHS
from headscope.model.search.penalty import PENALTY_KINDS, LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stored import parse_search, search_fields

settings = st.builds(
    SearchSettings,
    beam=st.integers(*BEAMS),
    penalty=st.builds(LengthPenalty, st.floats(*ALPHAS), st.sampled_from(PENALTY_KINDS)),
    finish=st.sampled_from(["any", "top"]),
    longest=st.none() | st.integers(*LENGTHS),
)


@given(settings)
def test_settings_survive(given):
    assert parse_search(search_fields(given)) == given


def test_keys():
    fields = {"beam": 4, "alpha": 0.6, "kind": "gnmt", "finish": "any", "longest": None}
    assert search_fields(SearchSettings()) == fields
    assert parse_search({}) == parse_search(fields) == SearchSettings()
    whole = parse_search({"alpha": 1, "kind": "power"}).penalty
    assert (whole, type(whole.alpha)) == (LengthPenalty(1.0, "power"), float)


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({"alpha": 11}, "alpha = 11: .* 10"),
        ({"alpha": float("nan")}, "alpha = nan"),
        ({"kind": "other"}, "kind = 'other'.*gnmt"),
        ({"width": 4}, "no key 'width'"),
        ([4], ""),
    ],
)
def test_what_is_no_search(plain, message):
    with pytest.raises(HeadscopeError, match=f"search settings: .*{message}"):
        parse_search(plain)
