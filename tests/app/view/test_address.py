"""The form of a View in the address."""

import string
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.records.heads import Cell, Head
from headscope.app.view.head_state import HeadView, SetWeight
from headscope.app.view.search_state import Other, Place, SearchView
from headscope.app.view.state import (
    Pin,
    View,
    fit,
    from_query,
    misread,
    to_query,
)
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS
from tests.app.view.views import CONFIG, DEFAULT, views


@given(views)
def test_a_view_survives_its_address(view):
    address = urlencode(to_query(view))
    assert from_query(dict(parse_qsl(address, keep_blank_values=True)), DEFAULT) == view


def test_what_is_in_the_address():
    off = (Head("cross", 0, 1), Head("encoder", 2, 0))
    view = View(
        "c", "a & b", 8, -0.5, "decoder", 1, 0, Pin("output", 2), unit="words", measure="end", order="measure", off=off
    )
    assert to_query(view) == {
        "v": "1",
        "checkpoint": "c",
        "source": "a & b",
        "entry": "text",
        "beam": "8",
        "penalty": "-0.5",
        "kind": "decoder",
        "layer": "2",
        "head": "1",
        "unit": "words",
        "special": "shown",
        "scale": "fixed",
        "quantity": "weight",
        "picture": "matrix",
        "measure": "end",
        "order": "measure",
        "instead": "zero",
        "off": "cross.1.2,encoder.3.1",
        "pin": "output.3",
    }


USUAL = (
    "v=1&checkpoint=toy&source=A+cat.&entry=text&beam=4&penalty=0.6&kind=cross&layer=1&head=1&unit=pieces&special=shown"
    "&scale=fixed&quantity=weight&picture=matrix&measure=confidence&order=index&off=&instead=zero"
)
usual = partial(View, measure="confidence", order="index", off=())
"""A view as these links have it."""
ADDRESSES = [
    (
        f"{USUAL}&share=0.9&set=cross.3.1.2.5.0.25",
        usual("toy", "A cat.", detail=HeadView(0.9, SetWeight(Cell(Head("cross", 2, 0), 1, 4), 0.25))),
    ),
    (USUAL, usual("toy", "A cat.")),
    (
        "v=1&checkpoint=shipped%2Fen-de&source=Wer+sagt+%E2%80%9E100+%25+%26+mehr%E2%80%9C%3F&entry=text&beam=2"
        "&penalty=-0.3&kind=encoder&layer=4&head=8&unit=words&special=hidden&scale=largest&quantity=contribution"
        "&picture=lines&measure=removal&order=measure&off=cross.1.2%2Cencoder.3.1&instead=uniform&beside=1%2C3"
        "&present=1&pin=source.1",
        View(
            "shipped/en-de",
            "Wer sagt „100 % & mehr“?",
            2,
            -0.3,
            "encoder",
            3,
            7,
            Pin("source", 0),
            unit="words",
            special="hidden",
            scale="largest",
            quantity="contribution",
            picture="lines",
            beside=(0, 2),
            measure="removal",
            order="measure",
            off=(Head("cross", 0, 1), Head("encoder", 2, 0)),
            instead="uniform",
            present=True,
        ),
    ),
    (
        "v=1&checkpoint=letters&source=a+b+c&entry=pieces&beam=16&penalty=5.0&kind=decoder&layer=1&head=1&unit=pieces"
        "&special=renormalised&scale=fixed&quantity=weight&picture=matrix&measure=confidence&order=index&off="
        "&instead=zero&target=&pin=output.12",
        usual(
            "letters",
            "a b c",
            16,
            5.0,
            "decoder",
            entry="pieces",
            special="renormalised",
            pin=Pin("output", 11),
            target=(),
        ),
    ),
    (
        f"{USUAL}&target=3.359.7&cut=1&penalty_kind=power&longest=40&n_best=3&must=a|b&pruned=1&mode=mbr&likeness=bleu"
        "&branches=5.7-5.2-5.7.9%2C&node=1.3.1",
        usual(
            "toy",
            "A cat.",
            target=(3, 359, 7),
            cut=True,
            search=SearchView(
                kind="power",
                longest=40,
                n_best=3,
                branches=(Constraints(prefix=(5, 7), forbidden=frozenset({(5, 7, 9), (5, 2)})), FREE),
                node=Place("1", 2, 0),
                must_contain=("a", "b"),
                pruned=True,
                mode="mbr",
                likeness="bleu",
            ),
        ),
    ),
    (
        f"{USUAL}&mode=exact&b=1&node=b.1.16",
        usual("toy", "A cat.", search=SearchView(other=Other(), mode="exact", node=Place("b", 0, 15))),
    ),
    (
        f"{USUAL}&b=1&b.beam=8&b.length_penalty=1.5&b.kind=gnmt&b.longest=9&b.n_best=4",
        usual(
            "toy",
            "A cat.",
            search=SearchView(other=Other(beam=8, length_penalty=1.5, kind="gnmt", longest=9, n_best=4)),
        ),
    ),
    (
        f"{USUAL}&b=1&b.method=sample&b.samples=64&b.temperature=0.7&b.top_k=50&b.top_p=0.95&b.seed=12",
        usual(
            "toy",
            "A cat.",
            search=SearchView(other=Other(method="sample", samples=64, temperature=0.7, top_k=50, top_p=0.95, seed=12)),
        ),
    ),
]


@pytest.mark.parametrize(("address", "view"), ADDRESSES)
def test_links_that_people_have_mean_what_they_meant(address, view):
    params = dict(parse_qsl(address, keep_blank_values=True))
    assert from_query(params, DEFAULT) == view
    assert to_query(view) == params


@pytest.mark.parametrize(
    ("name", "value", "field", "expected"),
    [
        ("beam", "many", "beam", DEFAULT.beam),
        ("beam", "1000000", "beam", PAGE_BEAMS[1]),
        ("beam", "0", "beam", PAGE_BEAMS[0]),
        ("penalty", "nan", "length_penalty", DEFAULT.length_penalty),
        ("penalty", "-inf", "length_penalty", DEFAULT.length_penalty),
        ("penalty", "99", "length_penalty", ALPHAS[1]),
        ("kind", "<script>", "kind", DEFAULT.kind),
        ("unit", "letters", "unit", "pieces"),
        ("special", "", "special", "shown"),
        ("scale", "log", "scale", "fixed"),
        ("quantity", "difference", "quantity", "weight"),
        ("measure", "beauty", "measure", DEFAULT.measure),
        ("off", "", "off", ()),
        ("beside", "2,0", "beside", ()),
        ("beside", "3,,1", "beside", ()),
        ("beside", "3,1,3", "beside", (0, 2)),
        ("off", "cross.1", "off", DEFAULT.off),
        ("off", "cross.0.1", "off", DEFAULT.off),
        ("off", "all.1.1", "off", DEFAULT.off),
        ("off", "cross.2.1,cross.1.1,cross.2.1", "off", (Head("cross", 0, 0), Head("cross", 1, 0))),
        ("layer", "", "layer", DEFAULT.layer),
        ("layer", "-3", "layer", 0),
        ("head", "9" * 5000, "head", DEFAULT.head),
        ("pin", "output", "pin", None),
        ("pin", "nowhere.3", "pin", None),
        ("pin", "source.0", "pin", None),
        ("checkpoint", "", "checkpoint", DEFAULT.checkpoint),
        ("source", "\r\none\r\ntwo\n \n", "source", "one\ntwo"),
        ("line", "0", "line", 0),
        ("line", "two", "line", 0),
        ("tour", "6", "tour", 5),
        ("tour", "-1", "tour", 0),
        ("source", "", "source", ""),
    ],
)
def test_values_that_make_no_sense(name, value, field, expected):
    assert getattr(from_query({name: value}, DEFAULT), field) == expected


def test_of_an_address_of_another_version_is_read_what_is_understood():
    assert from_query({"v": "2", "layer": "1"}, DEFAULT) == replace(DEFAULT, layer=0)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, ""),
        ({"v": "1", "kind": "encoder", "penalty": "0.60", "beam": "04", "off": "", "pruned": "0", "b": "1"}, ""),
        ({"source": "nan", "checkpoint": "1e3"}, ""),
        ({"v": "7"}, "v=7 (here 1). The link may be of a newer server. The rest is used."),
        ({"colour": "red", "b.zoom": "2"}, "colour, b.zoom. The rest is used."),
        ({"kind": "sideways", "pin": "output.0"}, "kind=sideways, pin=output.0. The rest is used."),
        ({"beam": "900", "layer": "40", "head": "0"}, "beam=900 (here 16), head=0 (here 1), layer=40 (here 2). The"),
        ({"kind": "encoder", "measure": "coverage"}, "measure=coverage (here removal). The rest is used."),
        ({"b": "1", "b.beam": "x"}, "b.beam=x. The rest is used."),
        ({"set": "cross.1.1.1.1.7", "share": "2"}, "share=2 (here 1.0), set=cross.1.1.1.1.7. The rest is used."),
        ({"off": "cross.1.1,cross.9.9"}, "off=cross.1.1,cross.9.9 (here cross.1.1). The rest is used."),
        ({"x" * 99: "y"}, f"{'x' * 40}…. The rest is used."),
        ({f"p{at}": "" for at in range(9)}, "p0, p1, p2, p3, p4, p5 and 3 more. The rest is used."),
    ],
)
def test_what_is_not_understood_is_said(params, said):
    found = misread(params, fit(from_query(params, DEFAULT), CONFIG))
    assert found == said if not said else found.startswith(f"Not understood in this address: {said}")


@given(views)
def test_an_address_of_a_fitted_view_is_understood(view):
    fitted = fit(view, CONFIG)
    assert misread(to_query(fitted), fitted) == ""


@given(st.dictionaries(st.sampled_from([*to_query(DEFAULT), "pin"]), st.text(string.printable)))
def test_no_address_breaks_anything(params):
    view = fit(from_query(params, DEFAULT), CONFIG)
    assert fit(from_query(to_query(view), DEFAULT), CONFIG) == view
