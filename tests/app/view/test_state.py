"""The View."""

import string
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.head_measures import MEASURES, head_measures
from headscope.analysis.records.heads import Head
from headscope.app.view.state import (
    KINDS,
    MOST_LINES,
    REMOVAL,
    View,
    carried,
    default_view,
    first_new,
    fit,
    from_query,
    lines,
    measures_of,
    to_query,
)
from headscope.model.search.limits import ALPHAS, PAGE_BEAMS
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from tests.app.view.views import CONFIG, DEFAULT, views


def test_a_visitor_starts_with_an_example_and_cross_attention_of_the_last_layer():
    assert from_query({}, DEFAULT) == DEFAULT
    assert (DEFAULT.kind, DEFAULT.layer, DEFAULT.head) == ("cross", 1, 0)
    assert DEFAULT.source
    assert default_view("x", CONFIG, "de").source != DEFAULT.source


def test_a_visitor_starts_with_the_checkpoints_own_search():
    view = default_view("x", CONFIG, "en", search=SearchSettings(beam=6, penalty=LengthPenalty(1.0, "power")))
    assert (view.beam, view.length_penalty) == (6, 1.0)
    far = default_view("x", CONFIG, "en", search=SearchSettings(beam=99, penalty=LengthPenalty(-10.0)))
    assert (far.beam, far.length_penalty) == (PAGE_BEAMS[1], ALPHAS[0])


def test_a_checkpoint_without_a_text_model_takes_pieces_alone():
    view = default_view("x", CONFIG, "en", symbols=[*string.ascii_lowercase])
    assert (view.source, view.entry) == ("a b c d e f g h i j", "pieces")
    fitted = fit(View("x", "a b", unit="words"), CONFIG, text=False)
    assert (fitted.entry, fitted.unit) == ("pieces", "pieces")
    assert fit(View("x", "a b", entry="pieces", unit="words"), CONFIG).unit == "pieces"
    assert fit(View("x", "a b", unit="words"), CONFIG).entry == "text"


def test_another_checkpoint_takes_over_what_was_chosen_and_typed():
    old, new = View("old", "an example"), View("new", "ein Beispiel", beam=6, length_penalty=1.0)
    assert carried(replace(old, checkpoint="new"), old, new) == new
    chosen = View("new", "typed", beam=8, length_penalty=0.0)
    assert carried(chosen, old, new) == chosen
    letters = View("letters", "a b c", entry="pieces")
    assert carried(View("letters", "typed"), old, letters) == letters
    assert carried(View("old", "x y", entry="pieces"), letters, old) == View("old", "x y", entry="pieces")
    assert carried(replace(letters, checkpoint="old"), letters, old) == old


def test_a_text_is_a_list_of_sentences():
    view = View("c", "one\n\ntwo\r\n  \nthree", line=1)
    assert lines(view.source) == ("one", "two", "three")
    assert view.sentence == "two"
    assert to_query(view)["line"] == "2"
    assert "line" not in to_query(View("c", "one"))
    assert fit(replace(view, line=7), CONFIG).sentence == "three"
    assert (View("c", "").sentence, fit(View("c", "", line=3), CONFIG).line) == ("", 0)
    assert len(lines("a\n" * 2 * MOST_LINES)) == MOST_LINES


@pytest.mark.parametrize(
    ("before", "after", "line", "shown"),
    [
        ("a", "a\nb", 0, 1),
        ("a\nb\nc", "a\nb\nd", 0, 2),
        ("a\nb\nc", "x\ny\nz", 2, 0),
        ("a\nb\nc", "a\nb", 0, 0),
        ("a\nb\nc", "a\nb", 2, 1),
        ("a", "", 0, 0),
    ],
)
def test_a_text_that_was_changed_shows_its_first_new_sentence(before, after, line, shown):
    view = fit(View("c", after, line=first_new(before, after, line)), CONFIG)
    assert view.line == shown


@given(views)
def test_layer_and_head_exist_in_the_model(view):
    fitted = fit(view, CONFIG)
    layers, heads = (3, 4) if view.kind == "encoder" else (2, 2)
    assert fitted.layer == min(view.layer, layers - 1)
    assert fitted.head == min(view.head, heads - 1)


def test_heads_and_measures_that_are_not_there_are_dropped():
    off = (Head("cross", 1, 1), Head("cross", 2, 0), Head("encoder", 2, 3))
    fitted = fit(View("c", "a", measure="previous", off=off), CONFIG)
    assert fitted.off == (off[0], off[2])
    assert fitted.measure == DEFAULT.measure
    assert fit(View("c", "a", kind="encoder", measure="previous"), CONFIG).measure == "previous"


@pytest.mark.parametrize("kind", KINDS)
def test_measures_of_a_kind_are_those_that_have_a_value(kind, translator):
    found = head_measures(attention_maps(translator, "My neighbour keeps bees and gives us honey."))
    rows = [index for index, head in enumerate(found.heads) if head.kind == kind]
    assert measures_of(kind) == (
        *(name for name in MEASURES if not np.isnan(found.values[name][rows]).any()),
        REMOVAL,
    )
