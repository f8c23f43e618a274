"""What the page of reasons adds to the address."""

from dataclasses import replace

import pytest

from headscope.app.view.codec import read, write
from headscope.app.view.why_state import WhyView


def test_what_is_written_is_read():
    view = WhyView("occlusion", "attention head", "contrast", "mean", (3, 17), "patching", "She sings.", "sie", "er")
    view = replace(view, prefix="Dann singt", rival="Sie singt nicht.", model="another")
    assert write(view)["against"] == "4.17"
    assert read(write(view), WhyView()) == view


@pytest.mark.parametrize("against", ["0.1", "3", "a.b", "1.-1", "99999999.1", ""])
def test_a_contrast_that_makes_no_sense(against):
    assert read({"against": against}, WhyView()).against is None


def test_another_sentence_has_other_pieces():
    view = WhyView("occlusion", against=(0, 1))
    assert view.anew() == WhyView("occlusion")
    assert WhyView(other="She sings.", this="sie", that="er", prefix="Dann", rival="Nein.").anew() == WhyView()


@pytest.mark.parametrize("text", ["", "  ", 1001 * "x"])
def test_a_source_that_is_none(text):
    assert read({"other": text}, WhyView()).other == ""
