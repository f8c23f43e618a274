import copy
import pickle

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from headscope.model.network.attention import SelfAttention
from headscope.model.network.linear import FusedLinears, Linear, can_pack, pack
from headscope.model.network.probe import Probe
from headscope.model.sites import Site
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


@pytest.mark.parametrize("shape", [(8,), (1, 8), (2, 3, 8), (0, 8)])
@pytest.mark.parametrize("bias", [True, False])
def test_gradients_through_packed_weights_are_those_of_plain_ones(bias, shape):
    torch.manual_seed(0)
    layer = Linear(8, 5, bias=bias).requires_grad_(False)
    layer.pack()
    x = torch.randn(shape, requires_grad=True)
    upstream = torch.randn(*shape[:-1], 5).mT.contiguous().mT if len(shape) > 1 else torch.randn(5)
    (found,) = torch.autograd.grad(layer(x), x, upstream)
    (due,) = torch.autograd.grad(plain(layer, x), x, upstream)
    torch.testing.assert_close(found, due, rtol=0, atol=1e-6)
    layer.weight.mul_(2)
    (again,) = torch.autograd.grad(layer(x), x, upstream)
    torch.testing.assert_close(again, 2 * due, rtol=0, atol=1e-5)


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


# Several layers beside one another


@pytest.fixture
def three() -> nn.ModuleList:
    torch.manual_seed(0)
    return nn.ModuleList(Linear(8, width) for width in (5, 3, 5)).requires_grad_(False)


@pytest.fixture
def beside(three) -> FusedLinears:
    made = FusedLinears(*three)
    made.pack()
    return made


def same(beside: FusedLinears, x: Tensor, **tolerance) -> bool:
    """Whether the layers give what plain ones give."""
    return all(
        torch.allclose(found, plain(layer, x), **(tolerance or {"rtol": 0, "atol": 1e-6}))
        for found, layer in zip(beside(x), beside.layers, strict=True)
    )


@pytest.mark.parametrize("shape", [(8,), (1, 8), (2, 3, 8), (0, 8)])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_beside_equals_plain(shape, bias, packed):
    torch.manual_seed(0)
    beside = FusedLinears(*(Linear(8, width, bias=bias).requires_grad_(False) for width in (5, 3)))
    if packed:
        beside.pack()
    assert same(beside, torch.randn(shape))


def test_beside_is_one_product(beside, monkeypatch):
    for layer in beside.layers:
        monkeypatch.setattr(layer, "forward", lambda x: pytest.fail("a product of its own"))
    assert [part.shape for part in beside(torch.randn(2, 8))] == [(2, 5), (2, 3), (2, 5)]


def test_parameters_stay_where_they_are(three, beside):
    assert not list(beside.parameters())
    assert not list(beside.children())
    assert beside.layers == tuple(three)


@pytest.mark.parametrize("change", [changed_in_place, loaded, assigned, given_data, given_parameter, moved])
@pytest.mark.parametrize("which", [0, 2])
def test_one_layer_that_changes_later_counts(beside, change, which):
    change(beside.layers[which])
    assert same(beside, torch.randn(3, 8))


def test_beside_in_bf16(beside):
    beside.pack(torch.bfloat16)
    x = torch.randn(3, 8)
    with torch.autocast("cpu", torch.bfloat16):
        assert same(beside, x, rtol=0.02, atol=0.02)
        assert {part.dtype for part in beside(x)} == {torch.bfloat16}
    assert same(beside, x)


@pytest.mark.parametrize("fused", [True, False])
def test_layers_beside_that_are_trained_again(three, beside, fused):
    x = torch.randn(3, 8)
    three.requires_grad_(True)
    optimiser = torch.optim.Adam(three.parameters(), lr=0.1, fused=fused)
    torch.cat(beside(x), dim=-1).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in three.parameters())
    optimiser.step()
    three.requires_grad_(False)
    assert same(beside, x)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_have_layers_of_their_own(copied):
    model = tiny_model().requires_grad_(False)
    pack(model)
    other = copied(model)
    assert isinstance(attention := other.get_submodule("decoder.0.attention"), SelfAttention)
    assert attention.beside.layers == (attention.key, attention.value, attention.query)
    batch = random_batch()
    torch.testing.assert_close(other(*batch), model(*batch), rtol=0, atol=1e-5)


def test_model_whose_queries_change_after_packing():
    model, batch = tiny_model().requires_grad_(False), random_batch()
    pack(model)
    before = model(*batch)
    for name, parameter in model.named_parameters():
        if name.endswith(".attention.query.weight"):
            parameter.mul_(-3)
    expected = copy.deepcopy(model)(*batch)  # copies are not packed
    torch.testing.assert_close(model(*batch), expected, rtol=0, atol=1e-5)
    assert not torch.allclose(before, expected, rtol=0, atol=1e-3)


class Seen(Probe):
    """All projections of attention."""

    def __init__(self) -> None:
        self.parts: list[Tensor] = []

    def wants(self, site: Site) -> bool:
        return True

    def projections(self, site: Site, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        self.parts += [query, key, value]
        return query, key, value


def test_probes_see_the_same_of_a_packed_model():
    model, batch, plain, packed = tiny_model().requires_grad_(False), random_batch(), Seen(), Seen()
    model(*batch, probe=plain)
    pack(model)
    model(*batch, probe=packed)
    torch.testing.assert_close(packed.parts, plain.parts, rtol=0, atol=1e-5)
