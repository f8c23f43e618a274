import pytest
import torch

from headscope.analysis.attribution.gradients import batch_rows, ends, single, slope_each, slopes, values_of
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.translation import TRANSLATION
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.sums import ask, sums

pytestmark = pytest.mark.usefixtures("float64")


@pytest.fixture
def asked(exact):
    translator = exact()
    return ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)


def test_values_are_the_log_probabilities(asked):
    due = log_probs(asked.translator.model, forced_batch(asked.translator, [asked.pair]))[0]
    values, at_base = ends(asked.inputs, LOG_PROB, asked.base())
    torch.testing.assert_close(values, due, rtol=0, atol=1e-9)
    assert not torch.allclose(at_base, due)
    whole = values_of(asked.inputs, TRANSLATION, asked.inputs.source[None], asked.inputs.target[None])
    torch.testing.assert_close(whole[0], due.sum()[None], rtol=0, atol=1e-9)


def test_slopes_one_after_the_other_are_those_side_by_side(asked):
    at_once = single(asked, lambda gradient, _: gradient)
    inputs = asked.inputs
    for found in slopes(inputs, LOG_PROB, inputs.source[None], inputs.target[None], asked.outputs):
        torch.testing.assert_close(found.values[0], at_once.values[found.output], rtol=0, atol=1e-9)
        torch.testing.assert_close(found.source[0], at_once.from_source[found.output], rtol=0, atol=1e-9)
        torch.testing.assert_close(found.target[0], at_once.from_target[found.output], rtol=0, atol=1e-9)


def test_slopes_of_different_inputs_side_by_side(asked):
    inputs, outputs = asked.inputs, (range(1), range(1), range(1, 3))
    source, target = (
        torch.stack([share * part for share in (1.0, 0.5, 0.2)]) for part in (inputs.source, inputs.target)
    )
    values, of_source, of_target = slope_each(inputs, LOG_PROB, source, target, outputs)
    for row, output in enumerate(outputs):
        alone = slice(row, row + 1)
        (due,) = slopes(inputs, LOG_PROB, source[alone], target[alone], [output])
        torch.testing.assert_close(values[alone], due.values, rtol=0, atol=1e-9)
        torch.testing.assert_close(of_source[alone], due.source, rtol=0, atol=1e-9)
        torch.testing.assert_close(of_target[alone], due.target, rtol=0, atol=1e-9)


def test_slopes_where_a_page_forbids_gradients(asked):
    due = single(asked, lambda gradient, _: gradient)
    with torch.inference_mode():
        found = single(asked, lambda gradient, _: gradient)
    torch.testing.assert_close(found.from_source, due.from_source, rtol=0, atol=0)


def test_so_many_inputs_fit_a_batch():
    assert batch_rows(sums()) == 2048 // 7
    assert batch_rows(sums(source=2000, target=2000)) == 1
