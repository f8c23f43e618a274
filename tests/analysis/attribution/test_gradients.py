import pytest
import torch
from captum.attr import InputXGradient, IntegratedGradients, Saliency

from headscope.analysis.attribution.explained import ENTROPY, EXPLAINED, LOG_PROB, LOGIT
from headscope.analysis.attribution.gradients import (
    batch_rows,
    gradient_shap,
    input_x_gradient,
    integrated_gradients,
    saliency,
    values_of,
)
from headscope.analysis.attribution.inputs import baseline, inputs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Silent
from tests.analysis.attribution.sums import sums

pytestmark = pytest.mark.usefixtures("float64")
CLOSE = {"rtol": 0, "atol": 1e-9}


@pytest.fixture
def entering(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    return inputs(translator, pair), baseline(translator, pair, "zero")


def function(found, explained, row):
    """What Captum is given: the value of one target row, from both inputs."""
    return lambda source, target: explained.value(
        found.logits(found.states(source, target)[:, row]), found.predicts, row
    )


def test_a_sum_has_known_answers():
    found = sums()
    nothing = torch.zeros_like(found.source), torch.zeros_like(found.target)
    weights = found.model.matrix[found.predicts]
    of_source = (weights[:, None] * found.source).sum(-1)
    of_target = (weights[:, None] * found.target).sum(-1).tril()
    for way in (
        input_x_gradient(found, LOGIT, Silent()),
        integrated_gradients(found, LOGIT, nothing, steps=3, progress=Silent()),
        gradient_shap(found, LOGIT, nothing, steps=3, seed=0, progress=Silent()),
    ):
        torch.testing.assert_close(way.from_source.sum(-1), of_source, **CLOSE)
        torch.testing.assert_close(way.from_target.sum(-1), of_target, **CLOSE)
    slopes = saliency(found, LOGIT, Silent())
    torch.testing.assert_close(slopes.from_source, weights[:, None].expand(-1, 3, -1), **CLOSE)
    assert not slopes.from_target.sum(-1).triu(1).any()


@pytest.mark.parametrize("explained", EXPLAINED.values(), ids=lambda explained: explained.name)
def test_slopes_are_finite_differences(entering, explained):
    found, _ = entering
    slopes = saliency(found, explained, Silent())
    for side, at in (("source", (2, 5)), ("target", (1, 7))):
        moved = []
        for step in (1e-6, -1e-6):
            both = {"source": found.source.clone(), "target": found.target.clone()}
            both[side][at] += step
            moved.append(values_of(found, explained, both["source"][None], both["target"][None])[:, 0])
        expected = (moved[0] - moved[1]) / 2e-6
        gradient = slopes.from_source if side == "source" else slopes.from_target
        torch.testing.assert_close(gradient[:, *at], expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("explained", [LOG_PROB, ENTROPY], ids=lambda explained: explained.name)
def test_equals_captum(entering, explained):
    found, base = entering
    both = (found.source[None], found.target[None])
    by_gradient, by_product = (method(found, explained, Silent()) for method in (saliency, input_x_gradient))
    along = integrated_gradients(found, explained, base, steps=20, progress=Silent())
    against = tuple(part[None] for part in base)
    for row in range(len(found.target)):
        forward = function(found, explained, row)
        theirs = (
            (by_gradient, Saliency(forward).attribute(both, abs=False)),
            (by_product, InputXGradient(forward).attribute(both)),
            (along, IntegratedGradients(forward).attribute(both, against, n_steps=20, method="riemann_middle")),
        )
        for ours, (source, target) in theirs:
            # Captum's places of the way are float32.
            torch.testing.assert_close(ours.from_source[row], source[0].detach(), rtol=1e-6, atol=1e-9)
            torch.testing.assert_close(ours.from_target[row], target[0].detach(), rtol=1e-6, atol=1e-9)


def test_many_steps_sum_to_the_difference(entering):
    found, base = entering
    along = integrated_gradients(found, LOG_PROB, base, steps=3000, progress=Silent())
    due = along.values - along.at_baseline
    total = along.from_source.sum((1, 2)) + along.from_target.sum((1, 2))
    torch.testing.assert_close(total, due, rtol=0, atol=2e-3)
    assert not along.from_target.sum(-1).triu(1).any()


def test_batches_make_no_difference(entering, monkeypatch):
    found, base = entering
    whole = integrated_gradients(found, LOG_PROB, base, steps=7, progress=Silent())
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", 20)
    assert batch_rows(found) == 2
    apart = integrated_gradients(found, LOG_PROB, base, steps=7, progress=Silent())
    torch.testing.assert_close(apart.from_source, whole.from_source, **CLOSE)
    torch.testing.assert_close(apart.from_target, whole.from_target, **CLOSE)


def test_random_places_are_those_of_a_seed(entering):
    found, base = entering
    first, again, other = (
        gradient_shap(found, LOG_PROB, base, steps=4, seed=seed, progress=Silent()).from_source for seed in (1, 1, 2)
    )
    assert torch.equal(first, again)
    assert not torch.allclose(first, other)


@pytest.mark.parametrize("steps", [0, -3])
def test_no_steps_are_refused(entering, steps):
    with pytest.raises(HeadscopeError, match=f"{steps} steps from the baseline are none"):
        integrated_gradients(*entering[:1], LOG_PROB, entering[1], steps=steps, progress=Silent())
