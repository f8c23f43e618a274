import pytest
import torch
from captum.attr import InputXGradient

from headscope.analysis.attribution.methods.input_x_gradient import input_x_gradient
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.methods.captum_rows import equals_captum
from tests.analysis.attribution.sums import ask, ask_of, of_sums, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_of_a_sum_it_is_what_the_token_gives():
    found = input_x_gradient(ask_of(given := sums(), LOGIT))
    for ours, due in zip(found[:2], of_sums(given), strict=True):
        torch.testing.assert_close(ours.sum(-1), due, rtol=0, atol=1e-9)


def test_equals_captum(exact):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    equals_captum(input_x_gradient(asked), asked, lambda of, both: InputXGradient(of).attribute(both))
