import pytest
import torch

from headscope.model.network.dropout import Dropout, dropout


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 0.9])
def test_evaluation_changes_nothing(rate):
    x = torch.randn(3, 4)
    assert dropout(x, rate, training=False) is x
    assert Dropout(rate).eval()(x) is x


def test_rate_zero_changes_nothing():
    x = torch.randn(3, 4)
    assert dropout(x, 0.0, training=True) is x


@pytest.mark.parametrize("rate", [0.001, 0.002, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999])
def test_share_and_expectation(rate):
    torch.manual_seed(0)
    count = 400_000
    out = dropout(torch.full((count,), 3.0), rate, training=True)
    kept = (out != 0).double().mean().item()
    # The rate is resolved to 1/256, and one element at least in 256 is kept; five standard errors of the mean.
    assert abs(kept - (1 - rate)) <= 1 / 256 + 5 * (rate * (1 - rate) / count) ** 0.5
    values = out[out != 0].unique()
    assert len(values) == 1
    error = 5 * 3 * ((1 - kept) / kept / count) ** 0.5
    assert out.double().mean().item() == pytest.approx(3, abs=error + 1e-6)


def test_elements_fall_independently():
    torch.manual_seed(0)
    kept = (dropout(torch.ones(200_000), 0.5, training=True) != 0).double()
    for distance in (1, 2, 3, 8, 64):  # eight elements share one random number
        both = (kept[distance:] * kept[:-distance]).mean().item()
        assert both == pytest.approx(0.25, abs=0.005)


def test_seed_decides():
    x = torch.ones(5, 7, 3)

    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return dropout(x, 0.4, training=True)

    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))
    torch.manual_seed(1)
    assert not torch.equal(dropout(x, 0.4, training=True), dropout(x, 0.4, training=True))


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (2, 3, 4, 9), (0, 4)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_shape_and_dtype_stay(shape, dtype):
    x = torch.ones(shape, dtype=dtype)
    out = dropout(x, 0.25, training=True)
    assert (out.shape, out.dtype) == (x.shape, dtype)


def test_view_that_is_not_contiguous():
    torch.manual_seed(0)
    x = torch.arange(1.0, 13).view(3, 4).T
    out = dropout(x, 0.5, training=True)
    assert torch.equal(out[out != 0], x[out != 0] * 2)


def test_gradient_is_the_mask():
    torch.manual_seed(0)
    x = torch.randn(50, requires_grad=True)
    out = dropout(x, 0.25, training=True)
    out.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, torch.where(out != 0, 4 / 3, 0.0))


@pytest.mark.parametrize("rate", [0.002, 0.1, 0.3, 0.9])
def test_scale_is_not_rounded_to_bf16(rate):
    torch.manual_seed(0)
    x = torch.randn(400_000).bfloat16().requires_grad_()
    out = dropout(x, rate, training=True)
    kept = out != 0
    out.backward(x.detach())
    share = max(1, round((1 - rate) * 256)) / 256
    for scaled in (out, x.grad):
        assert scaled is not None
        assert torch.equal(scaled[kept], (x[kept].double() / share).bfloat16())
        assert not scaled[~kept].any()


def test_expectation_in_bf16():
    torch.manual_seed(0)
    x = torch.randn(2_000_000).abs().bfloat16()
    ratio = dropout(x, 0.1, training=True).double().sum() / x.double().sum()
    assert ratio.item() == pytest.approx(1, abs=2e-3)  # five standard errors; with a scale of 1.109375 it is 0.9968


def test_gradient_agrees_with_finite_differences():
    x = torch.rand(20, dtype=torch.float64, requires_grad=True)

    def drawn(values: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(3)
        return dropout(values, 0.3, training=True)

    assert torch.autograd.gradcheck(drawn, (x,))
