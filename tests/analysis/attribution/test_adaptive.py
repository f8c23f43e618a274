import pytest
import torch

from headscope.analysis.attribution.adaptive import NODES, adaptive_gradients
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.explained import LOG_PROB, LOGIT
from headscope.analysis.attribution.gradients import integrated_gradients
from headscope.analysis.attribution.inputs import baseline, inputs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.progress import Cancelled, Silent
from tests.analysis.attribution.sums import sums

pytestmark = pytest.mark.usefixtures("float64")


def test_a_straight_line_needs_no_halving():
    found = sums()
    nothing = torch.zeros_like(found.source), torch.zeros_like(found.target)
    way = adaptive_gradients(found, LOGIT, nothing, progress=Silent())
    once = integrated_gradients(found, LOGIT, nothing, steps=1, progress=Silent())
    assert way.steps == 9
    for side in (0, 1):
        torch.testing.assert_close(way[side], once[side], rtol=0, atol=1e-9)
    torch.testing.assert_close(way.values, once.values, rtol=0, atol=1e-9)
    torch.testing.assert_close(way.at_baseline, once.at_baseline, rtol=0, atol=1e-9)


@pytest.mark.parametrize("base", ["zero", "unknown", "mean"])
def test_it_is_the_integral_of_many_steps(exact, base):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    given = inputs(translator, pair), LOG_PROB, baseline(translator, pair, base)
    way = adaptive_gradients(*given, progress=Silent())
    fine = integrated_gradients(*given, steps=3000, progress=Silent())
    assert 9 <= way.steps <= NODES
    ours, theirs = (torch.cat([each.from_source.sum(-1), each.from_target.sum(-1)], dim=1) for each in (way, fine))
    assert ((ours - theirs).abs() <= 0.05 * theirs.abs().sum(-1, keepdim=True)).all()
    found = attribute(translator, pair, base=base)
    assert (found.error <= 0.01).all() or found.settings.steps >= NODES - 1
    assert found.error.max() < attribute(translator, pair, base=base, steps=NODES).error.max()


def test_it_can_be_cancelled(exact):
    class Stop:
        def update(self, done: int, total: int | None) -> None:
            if done == 1:
                raise Cancelled

    translator = exact()
    with pytest.raises(Cancelled):
        attribute(translator, sentence_pair(translator, "a b c d", "e f"), progress=Stop())
