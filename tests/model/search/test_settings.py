"""How to search, what may differ from it, and how it is said."""

from dataclasses import replace

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import Sampling, SearchSettings, searched

OWN = SearchSettings(beam=6, penalty=LengthPenalty(1.0, "power"), finish="top", longest=9)


def test_what_is_not_asked_for_stays():
    assert OWN.override() == OWN
    assert OWN.override(alpha=0.0) == replace(OWN, penalty=LengthPenalty(0.0, "power"))
    assert OWN.override(kind="gnmt").penalty == LengthPenalty(1.0, "gnmt")
    assert OWN.override(beam=1).finish == "top"


def test_a_length_that_is_asked_for_is_not_bound_to_the_source():
    asked = OWN.override(beam=8, n_best=8, longest=70)
    assert asked == OWN.within(70).override(beam=8, n_best=8)
    assert (asked.longest, asked.extra_length) == (70, 70)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"beam": 0}, "beam 0: .* between 1 and 200"),
        ({"alpha": 10.5}, "length penalty 10.5: .* between -10 and 10"),
        ({"n_best": 7}, "n-best 7 .* not 6"),
        ({"longest": 0}, "longest 0: .* between 1 and 100,000"),
    ],
)
def test_what_cannot_be_asked_for(asked, message):
    with pytest.raises(HeadscopeError, match=message):
        OWN.override(**asked)


def test_in_words():
    assert searched(SearchSettings()) == "beam 4, length penalty 0.6"
    assert searched(OWN.override(n_best=2)) == "beam 6, length penalty 1 (power), 2 best"
    drawn = Sampling(count=2, temperature=0.5, seed=1)
    assert searched(OWN, drawn) == "2 samples, temperature 0.5, seed 1, length penalty 1 (power)"
    cut = Sampling(count=2, top_k=3, top_p=0.9)
    assert searched(OWN, cut) == "2 samples, temperature 1, seed 0, top-k 3, top-p 0.9, length penalty 1 (power)"
