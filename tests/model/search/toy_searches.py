"""Beam searches in toy languages, and random ones for hypothesis."""

from typing import Any

import pytest
from hypothesis import strategies as st

from headscope.model.search.beam import SentenceSearch, beam_search
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import SearchTrace
from tests.model.search.toy_language import Found, Language, ToyStepper, random_language

START = 99


def search(
    languages: list[Language], longest: list[int], end: int = 3, *, alternatives: int = 0, **settings
) -> list[SentenceSearch]:
    return beam_search(
        ToyStepper(languages, START),
        start=START,
        end=end,
        longest=longest,
        settings=SearchSettings(**settings),
        alternatives=alternatives,
    )


def trace(language: Language, longest: int, end: int = 3, **settings: Any) -> SearchTrace:
    return search([language], [longest], end, **settings)[0].trace()


def found(result: SearchTrace | SentenceSearch) -> list[Found]:
    hypotheses = result.hypotheses() if isinstance(result, SentenceSearch) else result.hypotheses
    return [Found(h.pieces, h.total, h.score, h.finished) for h in hypotheses]


def assert_same(ours: list[Found], expected: list[Found]) -> None:
    assert [(h.pieces, h.finished) for h in ours] == [(h.pieces, h.finished) for h in expected]
    assert [h.total for h in ours] == pytest.approx([h.total for h in expected], abs=1e-12)
    assert [h.score for h in ours] == pytest.approx([h.score for h in expected], abs=1e-12)


PENALTIES = st.builds(
    LengthPenalty, st.sampled_from([-1.0, -0.2, 0.0, 0.6, 1.0, 3.0]), st.sampled_from(["gnmt", "power"])
)


@st.composite
def searches(draw):
    """Languages, the greatest length of each sentence, and settings."""
    pieces = draw(st.integers(2, 6))
    impossible = draw(st.sampled_from([0.0, 0.0, 0.3, 0.7]))
    seeds = draw(st.lists(st.integers(0, 10_000), min_size=1, max_size=4, unique=True))
    longest = [draw(st.integers(1, 7)) for _ in seeds]
    beam = draw(st.integers(1, 6))
    settings = {
        "beam": beam,
        "n_best": draw(st.integers(1, beam)),
        "penalty": draw(PENALTIES),
        "finish": draw(st.sampled_from(["any", "top"])),
    }
    return [random_language(seed, pieces, impossible) for seed in seeds], longest, pieces - 1, settings
