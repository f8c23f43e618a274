import pytest
import torch
from captum.attr import IntegratedGradients

from headscope.analysis.attribution.gradients import batch_rows, values_of
from headscope.analysis.attribution.methods.integrated_gradients import integrated_gradients
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.analysis.attribution.methods.captum_rows import equals_captum
from tests.analysis.attribution.sums import ask, ask_of, of_sums, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_of_a_sum_it_is_what_the_token_gives():
    found = integrated_gradients(ask_of(given := sums(), LOGIT, steps=3))
    for ours, due in zip(found[:2], of_sums(given), strict=True):
        torch.testing.assert_close(ours.sum(-1), due, rtol=0, atol=1e-9)


def test_equals_captum(exact):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), LOG_PROB, steps=20)
    against = tuple(part[None] for part in asked.base())
    settings = {"n_steps": 20, "method": "riemann_middle"}
    found = integrated_gradients(asked)
    equals_captum(found, asked, lambda of, both: IntegratedGradients(of).attribute(both, against, **settings))


def test_equals_a_quadrature_by_hand(exact):
    # Central differences along one token's embedding, integrated by Simpson's rule.
    asked = ask(translator := exact(), sentence_pair(translator, "a b", "e"), LOG_PROB, steps=3000)
    found, inputs = integrated_gradients(asked), asked.inputs
    places = torch.linspace(0, 1, 6001)[:, None, None]
    moved = []
    for step in (1e-5, -1e-5):
        source = places * inputs.source
        source[:, 1] += step * inputs.source[1]
        moved.append(values_of(inputs, LOG_PROB, source, places * inputs.target))
    slope = (moved[0] - moved[1]) / 2e-5
    total = (slope[:, :-1:2] + 4 * slope[:, 1::2] + slope[:, 2::2]).sum(-1) / 3 / 6000
    torch.testing.assert_close(found.from_source[:, 1].sum(-1), total, rtol=0, atol=1e-3)


def test_many_steps_sum_to_the_difference(exact):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), LOG_PROB, steps=3000)
    found = integrated_gradients(asked)
    total = found.from_source.sum((1, 2)) + found.from_target.sum((1, 2))
    torch.testing.assert_close(total, found.values - found.at_baseline, rtol=0, atol=2e-3)
    assert not found.from_target.sum(-1).triu(1).any()


def test_batches_make_no_difference(exact, monkeypatch):
    asked = ask(translator := exact(), sentence_pair(translator, "a b c d", "e f"), LOG_PROB, steps=7)
    whole = integrated_gradients(asked)
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", 20)
    assert batch_rows(asked.inputs) == 2
    for one, other in zip(integrated_gradients(asked)[:4], whole[:4], strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("steps", [0, -3])
def test_no_steps_are_refused(exact, steps):
    asked = ask(translator := exact(), sentence_pair(translator, "a b", "e"), LOG_PROB, steps=steps)
    with pytest.raises(HeadscopeError, match=f"{steps} steps from the baseline are none"):
        integrated_gradients(asked)
