"""Settings of the search: A, and B beside it. Whatever is changed is searched at once."""

from operator import attrgetter
from typing import Any

import streamlit as st

from headscope.app.view import controls, session
from headscope.app.view.search_state import METHODS, Other, read_words, spell_words
from headscope.app.view.state import View
from headscope.model.search import limits
from headscope.model.search.penalty import PENALTY_KINDS, PenaltyKind

KIND_LABELS = {"gnmt": "((5 + length) / 6)^α", "power": "length^α"}
METHOD_LABELS = {"search": "Beam search", "sample": "Samples"}
SHOWN = 144
"""Pixels of a number."""


def settings(kind: PenaltyKind) -> None:
    """Both rows; `kind` is the checkpoint's own kind of length penalty."""
    view = session.view()
    search, other = view.search, view.search.other
    with st.container(horizontal=True, vertical_alignment="bottom", key="settings_a"):
        # The sidebar has these two as well.
        _number("Beam size", "beam", view.beam, limits.PAGE_BEAMS, place="search")
        _number("Length penalty α", "length_penalty", view.length_penalty, limits.ALPHAS, place="search")
        st.toggle(
            "Show pruned hypotheses",
            help="Hypotheses that the search looked at and gave up, and those that were ruled out",
            **session.control("search.pruned", search.pruned),
        )
        st.toggle(
            "Compare with a second search, B",
            **session.control("search.other", other is not None, clean=lambda on: _first(view) if on else None),
        )
    # The tree is to be on the first screen: what few change is folded, unless it is changed.
    told = search.kind or search.longest or search.n_best > 1 or search.must_contain or search.must_not_contain
    with (
        st.expander("Length, number and words of the translation", expanded=bool(told)),
        st.container(horizontal=True, vertical_alignment="bottom", key="settings_more"),
    ):
        _search("search", search, "", kind, view.beam)
    if other is not None:
        with st.container(horizontal=True, vertical_alignment="bottom", key="settings_b"):
            _settings_b(other, kind)


def _settings_b(other: Other, kind: PenaltyKind) -> None:
    controls.one_of("Method of B", {method: METHOD_LABELS[method] for method in METHODS}, "search.other.method")
    if other.method == "search":
        _number("Beam size of B", "search.other.beam", other.beam, limits.PAGE_BEAMS)
        _number("Length penalty of B", "search.other.length_penalty", other.length_penalty, limits.ALPHAS)
        _search("search.other", other, " of B", kind, other.beam)
        return
    _number("Samples", "search.other.samples", other.samples, limits.PAGE_SAMPLES)
    _number("Temperature", "search.other.temperature", other.temperature, limits.TEMPERATURES)
    _limit("Top-k", "search.other.top_k", other.top_k, limits.TOP_K, "all pieces")
    _number("Top-p", "search.other.top_p", other.top_p, limits.TOP_P, step=0.05)
    _number("Seed", "search.other.seed", other.seed, limits.SEEDS)
    _words("B must not contain", "search.other.must_not_contain")


def _search(where: str, found: Any, whose: str, kind: PenaltyKind, beam: int) -> None:
    """What A and B have alike."""
    with st.container(width=184):
        st.selectbox(
            f"Penalty formula{whose}",
            PENALTY_KINDS,
            format_func=KIND_LABELS.__getitem__,
            help="Log-probabilities are divided by it; α is the length penalty",
            **session.control(f"{where}.kind", found.kind or kind),
        )
    _limit(f"Most pieces{whose}", f"{where}.longest", found.longest, limits.PAGE_LENGTHS, "source + 50")
    _number(f"Translations{whose}", f"{where}.n_best", min(found.n_best, beam), (1, beam))
    _words("B must contain" if whose else "Must contain", f"{where}.must_contain")
    _words("B must not contain" if whose else "Must not contain", f"{where}.must_not_contain")


def _first(view: View) -> Other:
    """B to begin with: the same search without the words, or else greedy search, or a beam where A is that."""
    search = view.search
    words = bool(search.must_contain or search.must_not_contain)
    return Other(
        beam=view.beam if words else 1 if view.beam > 1 else 4,
        length_penalty=view.length_penalty,
        kind=search.kind,
        longest=search.longest,
    )


def _number(
    label: str, field: str, value: float, allowed: tuple[float, float], *, step: float = 0.1, place: str = "view"
) -> None:
    """A number in its limits."""
    form = {"step": 1, "format": "%d"} if isinstance(allowed[0], int) else {"step": step, "format": "%.2f"}

    def clean(number: float) -> float:
        return number if isinstance(number, int) else round(number, 6)

    with st.container(width=SHOWN):
        st.number_input(label, *allowed, **form, **session.control(field, value, clean=clean, place=place))


def _limit(label: str, field: str, value: int | None, allowed: tuple[int, int], otherwise: str) -> None:
    """A whole number that may be left out."""
    with st.container(width=SHOWN):
        st.number_input(label, *allowed, value=None, step=1, placeholder=otherwise, **session.control(field, value))


def _words(label: str, field: str) -> None:
    """Words, one or several."""
    value = attrgetter(field)(session.view())
    with st.container(width=224):
        st.text_input(
            label,
            placeholder="a word, or several with |",
            help="Anywhere in the translation, upper and lower case told apart; part of a longer word does not count. "
            "Between several, write |",
            **session.control(field, spell_words(value).replace("|", " | "), clean=read_words),
        )
