"""One update: the same gradient however the batch is cut up, padding without influence, divergence refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from headscope.model.data.batching import Batch, EncodedCorpus, Sequences, make_batch
from headscope.model.errors import HeadscopeError
from headscope.model.training.schedule import Noam
from headscope.model.training.step import Objective, TrainStep
from tests.toys import tiny_model


def corpus(pairs: int = 32, longest: int = 9) -> EncodedCorpus:
    """Random sentences of unequal lengths."""
    random = np.random.default_rng(2)

    def side() -> Sequences:
        return Sequences.of([random.integers(4, 12, random.integers(1, longest)).tolist() for _ in range(pairs)])

    return EncodedCorpus(source=side(), target=side(), pad=0, start=2, end=3)


def train_step(*, smoothing: float = 0.1, clip: float = 0.0, **changes: object) -> TrainStep:
    model = tiny_model(dropout=0, **changes).train()
    return TrainStep(Objective(model, smoothing=smoothing), Noam(warmup=10).at(16), clip=clip, precision="fp32")


def gradients(train_step: TrainStep) -> list[Tensor]:
    """After a first update Adam's first moment is a tenth of the gradient."""
    return [train_step.optimiser.state[p]["exp_avg"] * 10 for p in train_step.parameters]


def cut(size: int) -> list[Batch]:
    return [make_batch(corpus(), range(first, first + size)) for first in range(0, 32, size)]


def test_accumulation_gives_the_gradient_of_the_whole_batch():
    whole, parts = train_step(), train_step()
    one = whole.update(1, cut(32))
    four = parts.update(1, cut(8))
    assert four.loss == pytest.approx(one.loss, rel=1e-6)
    assert four.tokens == one.tokens
    for a, b in zip(gradients(whole), gradients(parts), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-6)


def test_accumulated_batches_are_one_step():
    several = train_step()
    update = several.update(1, cut(8))
    assert update.learning_rate == Noam(warmup=10).at(16)(1)
    assert {state["step"].item() for state in several.optimiser.state.values()} == {1.0}


def test_the_objective_is_the_models_loss_over_real_positions():
    model, batch = tiny_model(), make_batch(corpus(), range(10))
    found = Objective(model, smoothing=0.1).eval()(batch)
    logits = model(batch.source, batch.source_mask, batch.target_in).flatten(0, 1)
    gold, size = batch.target_out.flatten(), logits.shape[-1]
    smoothed, nll = (
        F.cross_entropy(logits, gold, ignore_index=0, reduction="sum", label_smoothing=smoothing * size / (size - 1))
        for smoothing in (0.1, 0.0)
    )
    assert found.smoothed.item() == pytest.approx(smoothed.item(), rel=1e-5)
    assert found.nll.item() == pytest.approx(nll.item(), rel=1e-5)


def test_what_stands_in_the_padding_does_not_matter():
    objective = Objective(tiny_model(), smoothing=0.1).eval()
    zeros, fives = (make_batch(replace(corpus(), pad=pad), range(10)) for pad in (0, 5))
    assert not torch.equal(zeros.target_in, fives.target_in)
    assert objective(zeros).smoothed.item() == objective(fives).smoothed.item()


def test_clipping_bounds_the_norm():
    clipped, free = train_step(clip=0.01), train_step()
    clipped.update(1, cut(32))
    free.update(1, cut(32))
    norm = torch.cat([g.flatten() for g in gradients(clipped)]).norm().item()
    assert norm == pytest.approx(0.01, rel=1e-4)
    assert torch.cat([g.flatten() for g in gradients(free)]).norm().item() > 0.01


def test_weights_and_moments_stay_float32_in_bf16():
    half = train_step()
    half = TrainStep(half.objective, Noam().at(16), clip=0.0, precision="bf16")
    half.update(1, cut(32))
    assert {p.dtype for p in half.parameters} == {torch.float32}
    assert {state["exp_avg_sq"].dtype for state in half.optimiser.state.values()} == {torch.float32}


def test_divergence_is_an_error_and_leaves_the_weights():
    broken = train_step()
    with torch.no_grad():
        broken.parameters[0][4, 0] = torch.inf
    before = [p.clone() for p in broken.parameters]
    with pytest.raises(HeadscopeError, match=r"update 7: .* not finite.*lower learning rate"):
        broken.update(7, cut(32))
    for a, b in zip(before, broken.parameters, strict=True):
        assert torch.equal(a, b)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_an_update_on_cuda_is_that_on_the_cpu():
    here, there = train_step(), train_step()
    there.objective.to("cuda")
    there = TrainStep(there.objective, Noam(warmup=10).at(16), clip=0.0, precision="fp32")
    assert there.update(1, cut(32)).loss == pytest.approx(here.update(1, cut(32)).loss, rel=1e-5)
