"""Settings of the search: A, and B beside it. Whatever is changed is searched at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from headscope.app.view import session
from headscope.app.view.search_state import METHODS, Other
from headscope.app.view.state import View
from headscope.model.search import limits
from headscope.model.search.penalty import PENALTY_KINDS, PenaltyKind

KIND_LABELS = {"gnmt": "((5 + length) / 6)^α", "power": "length^α"}
METHOD_LABELS = {"search": "Beam search", "sample": "Samples"}


def settings(kind: PenaltyKind) -> None:
    """Both rows; `kind` is the checkpoint's own kind of length penalty."""
    view = session.view()
    with st.container(horizontal=True, vertical_alignment="bottom", key="settings_a"):
        _number("Beam", "a-beam", view.beam, limits.PAGE_BEAMS, lambda value: {"beam": value})
        _number("Length penalty α", "a-alpha", view.length_penalty, limits.ALPHAS, _alpha)
        _kind("a-kind", view.search.kind or kind, lambda value: {"search": replace(session.view().search, kind=value)})
        _limit("Longest", "a-longest", view.search.longest, limits.PAGE_LENGTHS, lambda value: _own(longest=value))
        _number("n best", "a-n-best", min(view.search.n_best, view.beam), (1, view.beam), lambda v: _own(n_best=v))
        _toggle(
            "Compare with B", "b", view.search.other is not None, lambda on: _own(other=_first(view) if on else None)
        )
        _toggle("Pruned ones", "pruned", view.search.pruned, lambda on: _own(pruned=on))
    if view.search.other is not None:
        _settings_b(view.search.other, kind)


def _settings_b(other: Other, kind: PenaltyKind) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="settings_b"):
        st.segmented_control(
            "B",
            METHODS,
            required=True,
            format_func=METHOD_LABELS.__getitem__,
            **_control("b-method", other.method, lambda value: _other(method=value)),
        )
        if other.method == "sample":
            _number("Samples", "b-samples", other.samples, limits.PAGE_SAMPLES, lambda value: _other(samples=value))
            _number(
                "Temperature", "b-temperature", other.temperature, limits.TEMPERATURES, lambda v: _other(temperature=v)
            )
            _limit("Top-k", "b-top-k", other.top_k, limits.TOP_K, lambda value: _other(top_k=value))
            _number("Top-p", "b-top-p", other.top_p, limits.TOP_P, lambda value: _other(top_p=value), step=0.05)
            _number("Seed", "b-seed", other.seed, limits.SEEDS, lambda value: _other(seed=value))
            return
        _number("Beam of B", "b-beam", other.beam, limits.PAGE_BEAMS, lambda value: _other(beam=value))
        _number(
            "Length penalty α of B", "b-alpha", other.length_penalty, limits.ALPHAS, lambda v: _other(length_penalty=v)
        )
        _kind("b-kind", other.kind or kind, lambda value: _other(kind=value))
        _limit("Longest of B", "b-longest", other.longest, limits.PAGE_LENGTHS, lambda value: _other(longest=value))
        most = (1, other.beam)
        _number("n best of B", "b-n-best", min(other.n_best, other.beam), most, lambda value: _other(n_best=value))


def _first(view: View) -> Other:
    """B to begin with: greedy search, or a beam where A is that."""
    search = view.search
    return Other(
        beam=1 if view.beam > 1 else 4, length_penalty=view.length_penalty, kind=search.kind, longest=search.longest
    )


def _alpha(value: float) -> dict[str, Any]:
    return {"length_penalty": round(value, 6)}


def _own(**fields: Any) -> dict[str, Any]:
    return {"search": replace(session.view().search, **fields)}


def _other(**fields: Any) -> dict[str, Any]:
    search = session.view().search
    return {"search": replace(search, other=replace(search.other or Other(), **fields))}


def _control(name: str, value: Any, fields: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Key and callback of a widget; the sidebar has some of the same fields under other keys."""
    key = f"search-{name}"
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return {"key": key, "on_change": lambda: session.change(**fields(st.session_state[key]))}


def _number(
    label: str,
    name: str,
    value: float,
    allowed: tuple[float, float],
    fields: Callable[[Any], dict[str, Any]],
    *,
    step: float = 0.1,
) -> None:
    """A number in its limits."""
    form = {"step": 1, "format": "%d"} if isinstance(allowed[0], int) else {"step": step, "format": "%.2f"}
    with st.container(width=128):
        st.number_input(label, *allowed, **form, **_control(name, value, fields))


def _limit(
    label: str, name: str, value: int | None, allowed: tuple[int, int], fields: Callable[[Any], dict[str, Any]]
) -> None:
    """A whole number that may be left out."""
    with st.container(width=128):
        st.number_input(label, *allowed, value=None, step=1, placeholder="any", **_control(name, value, fields))


def _kind(name: str, value: PenaltyKind, fields: Callable[[Any], dict[str, Any]]) -> None:
    with st.container(width=184):
        st.selectbox(
            "Divides by" if name[0] == "a" else "B divides by",
            PENALTY_KINDS,
            format_func=KIND_LABELS.__getitem__,
            **_control(name, value, fields),
        )


def _toggle(label: str, name: str, value: bool, fields: Callable[[bool], dict[str, Any]]) -> None:
    st.toggle(label, **_control(name, value, fields))
