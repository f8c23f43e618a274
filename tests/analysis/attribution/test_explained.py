import pytest
import torch

from headscope.analysis.attribution.explained import Against, explainable
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.translation import TRANSLATION
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.sums import sums
from tests.toys import letter_translator

pytestmark = pytest.mark.usefixtures("float64")


def test_a_number_a_row_or_one_in_all():
    assert LOG_PROB.outputs(3) == (range(1), range(1, 2), range(2, 3))
    assert TRANSLATION.outputs(3) == (range(3),)


def test_a_number_of_several_rows_is_their_sum():
    found = sums()
    states = found.states(found.source[None], found.target[None])
    rows = [LOG_PROB.of(found, states, range(row, row + 1)) for row in range(4)]
    torch.testing.assert_close(TRANSLATION.of(found, states, range(1, 4)), sum(rows[1:]), rtol=0, atol=1e-12)


def test_what_needs_no_sentence_is_the_same_for_all():
    translator = letter_translator()
    made = explainable(LOG_PROB)
    assert made.make(translator, sentence_pair(translator, "a", "b"), Against()) is LOG_PROB
    assert (made.name, made.against) == ("log-probability", None)
