"""The loss against torch, against its definition written out, and where others went wrong."""

import math

import pytest
import torch
from torch.nn import functional as F

from headscope.model.training.loss import Loss, label_smoothed_cross_entropy, smoothing_floor


def loss_of(logits: torch.Tensor, gold: torch.Tensor, *, smoothing: float) -> Loss:
    """States that are logits already: the projection is the identity."""
    identity = torch.eye(logits.shape[-1], dtype=logits.dtype)
    return label_smoothed_cross_entropy(logits, identity, None, gold, smoothing=smoothing)


def example(rows: int = 7, size: int = 11, dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    logits = torch.randn(rows, size, generator=generator, dtype=dtype) * 3
    return logits, torch.randint(1, size, (rows,), generator=generator)


def test_equals_the_definition_written_out():
    logits, gold = example()
    q = torch.full_like(logits, 0.1 / 10)
    q[torch.arange(7), gold] = 0.9
    loss = loss_of(logits, gold, smoothing=0.1)
    log_p = logits.log_softmax(-1)
    assert loss.smoothed.item() == pytest.approx(-(q * log_p).sum().item(), abs=1e-12)
    assert loss.nll.item() == pytest.approx(F.nll_loss(log_p, gold, reduction="sum").item(), abs=1e-12)


def test_equals_torch_with_its_smoothing_rescaled():
    logits, gold = example(dtype=torch.float32)
    expected = F.cross_entropy(logits, gold, reduction="sum", label_smoothing=0.1 * 11 / 10)
    assert loss_of(logits, gold, smoothing=0.1).smoothed.item() == pytest.approx(expected.item())


def test_without_smoothing_it_is_the_cross_entropy():
    logits, gold = example()
    loss = loss_of(logits, gold, smoothing=0.0)
    assert loss.smoothed.item() == pytest.approx(F.cross_entropy(logits, gold, reduction="sum").item(), abs=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.4])
def test_gradient_equals_finite_differences(smoothing: float):
    logits, gold = example()
    logits.requires_grad_()

    def loss(x: torch.Tensor) -> torch.Tensor:
        return loss_of(x, gold, smoothing=smoothing).smoothed * 0.3

    assert torch.autograd.gradcheck(loss, logits)


def test_nll_takes_no_gradient():
    logits, gold = example()
    logits.requires_grad_()
    assert not loss_of(logits, gold, smoothing=0.1).nll.requires_grad


def test_floor_is_the_entropy_of_the_target():
    assert smoothing_floor(10_000, 0.1) == pytest.approx(1.246, abs=5e-4)
    assert smoothing_floor(10_000, 0.0) == 0.0


def test_a_perfect_model_reaches_the_floor():
    gold = torch.tensor([3])
    logits = torch.full((1, 100), math.log(0.1 / 99), dtype=torch.float64)
    logits[0, 3] = math.log(0.9)
    loss = loss_of(logits, gold, smoothing=0.1).smoothed
    assert loss.item() == pytest.approx(smoothing_floor(100, 0.1), abs=1e-12)


def test_more_rows_than_are_in_memory_at_once():
    logits, gold = example(rows=600)
    weight = torch.randn(11, 11, dtype=torch.float64, generator=torch.Generator().manual_seed(5)).requires_grad_()
    bias = torch.linspace(-1, 1, 11, dtype=torch.float64).requires_grad_()
    logits.requires_grad_()
    loss = label_smoothed_cross_entropy(logits, weight, bias, gold, smoothing=0.1).smoothed * 0.3
    expected = F.cross_entropy(logits @ weight.T + bias, gold, reduction="sum", label_smoothing=0.11) * 0.3
    assert loss.item() == pytest.approx(expected.item(), rel=1e-12)
    for one, other in zip(*(torch.autograd.grad(x, (logits, weight, bias)) for x in (loss, expected)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)


def test_no_positions_give_zero_and_zero_gradients():
    logits = torch.randn(0, 9, requires_grad=True)
    weight = torch.randn(9, 9, requires_grad=True)
    loss = label_smoothed_cross_entropy(logits, weight, None, torch.zeros(0, dtype=torch.long), smoothing=0.1)
    loss.smoothed.backward()
    assert loss.smoothed.item() == loss.nll.item() == 0.0
    assert weight.grad is not None
    assert not weight.grad.any()


def test_bf16_logits_are_summed_in_float32():
    logits, gold = example(rows=500, dtype=torch.float32)
    half = logits.bfloat16().requires_grad_()
    loss = loss_of(half, gold, smoothing=0.1)
    expected = loss_of(half.detach().double(), gold, smoothing=0.1)
    assert loss.smoothed.dtype == torch.float32
    assert loss.smoothed.item() == pytest.approx(expected.smoothed.item(), rel=1e-5)
    loss.smoothed.backward()
    assert half.grad is not None
    assert half.grad.dtype == torch.bfloat16


def test_large_logits_do_not_overflow():
    logits = torch.tensor([[3e4, -3e4, 0.0]], requires_grad=True)
    loss = loss_of(logits, torch.tensor([1]), smoothing=0.1)
    loss.smoothed.backward()
    assert loss.nll.item() == 6e4
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
