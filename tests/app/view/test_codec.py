"""Codecs beside the fields of a state, and what follows from them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import pytest

from headscope.app.view.codec import (
    PageState,
    Part,
    Word,
    codecs,
    counted,
    flag,
    lost,
    number,
    one_of,
    read,
    unknown,
    whole,
    write,
)
from headscope.app.view.search_state import Place, SearchView
from headscope.app.view.state import View
from headscope.model.search.constraints import FREE


@dataclass(frozen=True, slots=True)
class Inner(PageState):
    """A part of a page's state that may be missing."""

    low: Annotated[int, whole(0, 9)] = 1
    high: Annotated[int, whole(0, 9)] = 5

    def settled(self) -> "Inner":
        return replace(self, low=min(self.low, self.high))


@dataclass(frozen=True, slots=True)
class Page(PageState):
    """What a page might add to the View."""

    row: Annotated[int, counted()] = 0
    scale: Annotated[float, number(-1, 1, name="s")] = 0.5
    choice: Annotated[str, one_of(("one", "two"))] = "one"
    open: Annotated[bool, flag()] = True
    hint: Annotated[bool, flag(silent=True)] = False
    limit: Annotated[int | None, whole(1, 3)] = None
    inner: Annotated[Inner | None, Part(Inner, prefix="in.", mark="in")] = None


CHANGED = Page(row=2, scale=-0.25, choice="two", open=False, hint=True, limit=2, inner=Inner(high=7))
PARAMS = {"row": "3", "s": "-0.25", "choice": "two", "open": "0", "hint": "1", "limit": "2", "in": "1", "in.high": "7"}
PART = Part(Page)
PREFIXED = Part(Page, prefix="p.")


def test_a_state_of_its_own_is_written_in_full():
    assert write(CHANGED) == PARAMS
    assert write(Page()) == {"row": "1", "s": "0.5", "choice": "one", "open": "1"}
    assert read(PARAMS, Page()) == CHANGED
    assert read({}, CHANGED) == replace(CHANGED, inner=None), "a part does not outlive its mark"


def test_a_part_is_written_as_what_differs():
    assert PART.write("page", Page()) == {}
    assert PART.write("page", replace(Page(), row=4)) == {"row": "5"}
    assert PART.write("page", CHANGED) == PARAMS
    assert PART.read("page", PARAMS) == CHANGED


def test_a_prefix_keeps_pages_apart():
    prefixed = PREFIXED.write("page", CHANGED)
    assert prefixed == {f"p.{name}": text for name, text in PARAMS.items()}
    assert PREFIXED.read("page", prefixed) == CHANGED
    assert PREFIXED.read("page", PARAMS) == Page()


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"row": "-2"}, Page()),
        ({"row": "x", "choice": "three", "open": "yes", "hint": "", "s": "inf", "limit": "1.5"}, Page()),
        ({"s": "7", "limit": "0"}, Page(scale=1, limit=1)),
        ({"in": "yes", "in.high": "2"}, Page()),
        ({"in": "1", "in.low": "9", "in.high": "2"}, Page(inner=Inner(low=2, high=2))),
    ],
)
def test_hostile_parameters(params, expected):
    assert PART.read("page", params) == expected


def names(kind: type, prefix: str = "") -> Iterator[str]:
    """All parameters of a state."""
    for field, codec in codecs(kind).items():
        if isinstance(codec, Part):
            yield from [f"{prefix}{codec.mark}"] if codec.mark else []
            yield from names(codec.kind, prefix + codec.prefix)
        else:
            assert isinstance(codec, Word)
            yield prefix + (codec.name or field)


def test_every_parameter_of_the_view_has_one_meaning():
    found = Counter(names(View))
    assert {"v", "checkpoint", "penalty", "pin", "penalty_kind", "b", "b.beam"} - set(found) == {"v"}
    assert [name for name, count in found.items() if count > 1] == []


def test_parameters_know_their_names():
    found = [name for field, codec in codecs(View).items() for name in codec.names(field)]
    assert found == list(names(View))
    assert unknown(PARAMS | {"colour": "red"}, Page) == ["colour"]
    assert unknown(PARAMS, View) == [*PARAMS]


def test_what_is_not_taken_as_it_stands():
    assert lost(PARAMS, Page) == {}
    assert lost({"row": "x", "s": "7", "choice": "three", "limit": "2.5"}, Page) == {
        "row": "",
        "s": "1",
        "choice": "",
        "limit": "",
    }
    assert lost({"in": "1", "in.high": "12", "row": "03"}, Page) == {"in.high": "9"}


def test_another_sentence_forgets_what_pages_know_of_this_one():
    kept = View("toy", "A cat.", search=SearchView(n_best=3))
    search = SearchView(n_best=3, branches=(FREE,), node=Place("1", 0, 0))
    assert replace(kept, target=(3,), search=search).anew() == kept
