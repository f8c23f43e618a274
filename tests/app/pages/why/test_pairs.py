"""Worked examples of patching, as buttons; those that are cards of the gallery are tested with that page."""

from headscope.analysis.gallery.minimal_pairs import PAIRS
from headscope.app.workbench import attributions
from tests.app.page_tools import press, shown

FAST = {"why.method": "input x gradient", "why.beside": "nothing"}


def test_the_first_source_goes_into_the_second(open_app, monkeypatch):
    pair = PAIRS[0]
    monkeypatch.setattr(attributions, "minimal_pairs", lambda bench, checkpoint: (pair,))
    page = open_app("why", **FAST, **{"why.below": "patching"})
    press(page, f"pair {pair.word}")
    found = shown(page)
    assert (found.why.other, found.sentence) == pair.sources
    assert (found.why.this, found.why.that) == pair.translations
    assert found.why.below == "patching"


def test_a_pair_that_differs_in_what_is_written_before(open_app, monkeypatch):
    pair = PAIRS[-1]
    monkeypatch.setattr(attributions, "minimal_pairs", lambda bench, checkpoint: (pair,))
    page = open_app("why", **FAST, **{"why.below": "patching"})
    press(page, f"pair {pair.word}, by its article")
    own = shown(page).why
    assert (shown(page).sentence, own.other, own.prefix) == (pair.sources[1], "", "Die")
    assert any("begun “Die" in each.value for each in page.text)
