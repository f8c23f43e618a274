"""Worked examples of patching, as links."""

from headscope.analysis.gallery.minimal_pairs import PAIRS
from headscope.app.pages.why.patched import example
from headscope.app.view.state import View
from headscope.app.view.why_state import WhyView


def test_the_first_source_goes_into_the_second():
    before = View("toy", "A sentence.\nAnother.", line=1, why=WhyView("saliency", below="patching", against=(1, 2)))
    pair = PAIRS[0]
    found = example(pair, before)
    assert (found.why.other, found.sentence) == pair.sources
    assert (found.why.this, found.why.that) == pair.translations
    assert (found.why.method, found.why.below, found.why.against) == ("saliency", "patching", None)
