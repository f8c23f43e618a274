import math

import numpy as np
import pytest
import torch

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.registry import explained
from headscope.analysis.attribution.values.contrast import contrast, second_best
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError

pytestmark = pytest.mark.usefixtures("float64")
LOGITS = torch.tensor([[0.0, math.log(2), math.log(5)]])
PREDICTS = torch.tensor([1, 2])


def test_it_is_the_difference_of_log_probabilities_and_of_logits():
    found = contrast(torch.tensor([2, 0]))
    assert found.value(LOGITS, PREDICTS, 0).item() == pytest.approx(math.log(2 / 8) - math.log(5 / 8))
    assert found.value(LOGITS, PREDICTS, 1).item() == pytest.approx(math.log(5))


def test_second_best_is_never_the_piece_itself():
    rows = LOGITS.expand(3, -1)
    assert second_best(rows, torch.tensor([0, 1, 2])).tolist() == [2, 2, 1]


def test_attributions_are_the_difference_of_two(exact):
    translator = exact()
    pair, other = (sentence_pair(translator, "a b c d", text) for text in ("e f", "e a"))
    found = attribute(translator, pair, "input x gradient", explained=explained(translator, pair, "contrast", text="a"))
    this, that = (attribute(translator, of, "input x gradient") for of in (pair, other))
    np.testing.assert_allclose(found.from_source[1], this.from_source[1] - that.from_source[1], atol=1e-9)
    np.testing.assert_allclose(found.values[1], this.values[1] - that.values[1], atol=1e-9)


def test_against_the_second_best(exact):
    translator = exact()
    best = sentence_pair(translator, "a b c d")  # what greedy search would write, or nearly
    found = attribute(translator, best, "saliency", explained=explained(translator, best, "contrast"))
    own = attribute(translator, best, "saliency")
    assert (found.values <= -own.values + 1e-9).all()
    with pytest.raises(HeadscopeError, match="a blank is no piece"):
        explained(translator, best, "contrast", text=" ")
