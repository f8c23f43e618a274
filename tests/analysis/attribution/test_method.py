import pytest

from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.translation import TRANSLATION
from tests.analysis.attribution.sums import ask_of, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_a_question_says_which_rows_each_number_is_of():
    assert ask_of(sums(), LOG_PROB).outputs == tuple(range(row, row + 1) for row in range(4))
    assert ask_of(sums(), TRANSLATION).outputs == (range(4),)
