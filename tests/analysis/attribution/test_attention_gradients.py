import pytest
import torch

from headscope.analysis.attribution.attention_gradients import attention_gradients
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.network.probe import Probe
from headscope.model.sites import site_at
from tests.analysis.attribution.sums import ask

pytestmark = pytest.mark.usefixtures("float64")


class Scaled(Probe):
    """One weight of one head times a factor."""

    def __init__(self, site, cell, factor):
        self.site, self.cell, self.factor = site, cell, factor

    def wants(self, site):
        return site == self.site

    def weights(self, site, weights):
        weights = weights.clone()
        weights[:, *self.cell] *= self.factor
        return weights


@pytest.mark.parametrize(
    ("kind", "cell"), [("encoder", (3, 1, 2)), ("decoder", (1, 2, 0)), ("cross", (1, 1, 3)), ("cross", (0, 0, 4))]
)
def test_weight_times_gradient_is_a_finite_difference(exact, kind, cell):
    translator = exact()
    asked = ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    site, inputs = site_at(translator.model, kind, 1), asked.inputs
    weighted, _ = attention_gradients(asked)

    def values(factor: float) -> torch.Tensor:
        states = inputs.states(inputs.source[None], inputs.target[None], probe=Scaled(site, cell, factor))
        return torch.cat([LOG_PROB.of(inputs, states, rows) for rows in asked.outputs])

    due = (values(1 + 1e-6) - values(1 - 1e-6)) / 2e-6
    torch.testing.assert_close(weighted[site][:, *cell], due, rtol=1e-5, atol=1e-8)


def test_batches_make_no_difference_and_nothing_is_left_on_the_model(exact, monkeypatch):
    translator = exact()
    asked = ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    whole, values = attention_gradients(asked)
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", 8)
    with torch.inference_mode():
        apart, again = attention_gradients(asked)
    torch.testing.assert_close(again, values, rtol=0, atol=1e-9)
    for site, part in whole.items():
        torch.testing.assert_close(apart[site], part, rtol=0, atol=1e-9)
    assert all(parameter.grad is None for parameter in translator.model.parameters())
