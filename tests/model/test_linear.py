import copy
import pickle

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.linear import Linear, can_pack, pack
from tests.toys import random_batch, tiny_model


@pytest.fixture
def layer() -> Linear:
    torch.manual_seed(0)
    made = Linear(8, 5).requires_grad_(False)
    made.pack()
    return made


def plain(layer: nn.Linear, x: Tensor) -> Tensor:
    return F.linear(x, layer.weight, layer.bias)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(8,), (1, 8), (2, 3, 8), (0, 8)])
def test_packed_equals_plain(bias, shape):
    torch.manual_seed(0)
    layer, x = Linear(8, 5, bias=bias).requires_grad_(False), torch.randn(shape)
    layer.pack()
    torch.testing.assert_close(layer(x), plain(layer, x), rtol=0, atol=1e-6)


def test_view_that_is_not_contiguous(layer):
    x = torch.randn(3, 2, 8).transpose(0, 1)
    torch.testing.assert_close(layer(x), plain(layer, x), rtol=0, atol=1e-6)


def changed_in_place(layer: Linear) -> None:
    layer.weight.mul_(3)


def loaded(layer: Linear) -> None:
    layer.load_state_dict({"weight": torch.randn(5, 8), "bias": torch.zeros(5)})


def assigned(layer: Linear) -> None:
    layer.load_state_dict({"weight": torch.randn(5, 8), "bias": torch.zeros(5)}, assign=True)


def given_data(layer: Linear) -> None:
    layer.weight.data = torch.randn(5, 8)


def given_parameter(layer: Linear) -> None:
    layer.weight = nn.Parameter(torch.randn(5, 8), requires_grad=False)


def moved(layer: Linear) -> None:
    layer.to(torch.float64).to(torch.float32)


@pytest.mark.parametrize("change", [changed_in_place, loaded, assigned, given_data, given_parameter, moved])
def test_weights_that_change_later_count(layer, change):
    change(layer)
    x = torch.randn(3, 8)
    torch.testing.assert_close(layer(x), plain(layer, x), rtol=0, atol=1e-6)


@pytest.mark.parametrize("packed", [False, True])
def test_bf16_autocast(layer, packed):
    x = torch.randn(3, 8)
    if packed:
        layer.pack(torch.bfloat16)
    with torch.autocast("cpu", torch.bfloat16):
        found = layer(x)
        torch.testing.assert_close(found, plain(layer, x), rtol=0.02, atol=0.02)
    assert found.dtype == torch.bfloat16


def test_bias_that_changes_later_counts(layer):
    before = layer(torch.zeros(8))
    layer.bias.add_(1)
    torch.testing.assert_close(layer(torch.zeros(8)), before + 1)


def test_float64(layer):
    x = torch.randn(3, 8)
    assert layer.double()(x.double()).dtype == torch.float64


def test_gradients_flow_to_input_and_weights(layer):
    x = torch.randn(3, 8, requires_grad=True)
    layer(x).sum().backward()
    torch.testing.assert_close(x.grad, layer.weight.sum(0).expand(3, 8))
    layer.requires_grad_(True)
    layer(x.detach()).sum().backward()
    torch.testing.assert_close(layer.weight.grad, x.detach().sum(0).expand(5, 8))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_copies_stand_alone(layer, copied):
    x = torch.randn(3, 8)
    before, other = layer(x), copied(layer)
    torch.testing.assert_close(other(x), before, rtol=0, atol=1e-6)
    with torch.no_grad():
        other.weight.zero_()
    assert torch.equal(layer(x), before)


def test_packing_in_inference_mode():
    with torch.inference_mode():
        layer = Linear(8, 5)
        layer.pack()
        x = torch.randn(3, 8)
        assert torch.equal(layer(x), plain(layer, x))


@pytest.mark.parametrize("fused", [True, False])
def test_weights_that_are_trained_again(layer, fused):
    x = torch.randn(3, 8)
    layer.requires_grad_(True)
    layer.pack()
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.1, fused=fused)
    layer(x).sum().backward()
    optimiser.step()
    layer.pack()
    with torch.inference_mode():
        assert torch.equal(layer(x), plain(layer, x))
    layer.requires_grad_(False)
    torch.testing.assert_close(layer(x), plain(layer, x), rtol=0, atol=1e-6)


def test_what_cannot_be_packed():
    assert not can_pack(torch.zeros(2, 2, requires_grad=True))
    assert not can_pack(torch.zeros(2, 2, dtype=torch.float64))
    assert not can_pack(torch.zeros(2, 2, device="meta"))


def test_packed_model_equals_the_plain_one():
    model, batch = tiny_model().requires_grad_(False), random_batch()
    before = model(*batch)
    names = list(model.state_dict())
    pack(model)
    torch.testing.assert_close(model(*batch).log_softmax(-1), before.log_softmax(-1), rtol=0, atol=1e-5)
    assert list(model.state_dict()) == names
    assert model.projection.weight is model.target_embedding.weight
