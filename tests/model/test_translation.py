"""Lines, translated and scored."""

import pytest

from headscope.model.search.trace import Hypothesis
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translation import Scored, Translation

SOURCE = Segmentation("x", (4,), ("x",), ((0, 1),))
BEST, SECOND = (Segmentation(text, (5,), (text,), ((0, 1),)) for text in "ab")


def test_the_text_is_that_of_the_best():
    assert Translation(SOURCE, (), (BEST, SECOND)).text == "a"


def test_no_translation_is_an_empty_text():
    assert Translation(SOURCE, (), (), "it is too long").text == ""


def test_the_best_one_may_be_cut_off():
    ended, cut = (Hypothesis((5,), (-1.0,), -1.0, -1.0, finished) for finished in (True, False))
    assert Translation(SOURCE, (ended, cut), (BEST, SECOND)).finished
    assert not Translation(SOURCE, (cut, ended), (BEST, SECOND)).finished
    assert Translation(SOURCE, (), (), "it is too long").finished


def test_the_total_takes_the_end_of_sentence_along():
    assert Scored(SOURCE, BEST, (-1.5, -0.25)).total == pytest.approx(-1.75)
