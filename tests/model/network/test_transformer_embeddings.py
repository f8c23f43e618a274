"""What enters the stacks: scaled pieces and positions."""

import pytest
import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from tests.torch_twin import paper_sinusoids
from tests.toys import random_batch, tiny_model


class Embedded(Probe):
    """Keeps what enters the stacks."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[Tensor, Tensor, Tensor]] = {}

    def embedded(self, side, tokens, positions, total):
        self.seen[side] = tokens, positions, total
        return total


@pytest.mark.parametrize(("scale_embedding", "factor"), [(True, 4.0), (False, 1.0)])
def test_embeddings_are_scaled_on_the_way_in_alone(scale_embedding, factor):
    model, probe, batch = tiny_model(scale_embedding=scale_embedding), Embedded(), random_batch()
    model(*batch, probe=probe)
    table = model.source_embedding.weight
    torch.testing.assert_close(probe.seen["source"][0], factor * table[batch.source])
    torch.testing.assert_close(probe.seen["target"][0], factor * table[batch.target])
    torch.testing.assert_close(probe.seen["target"][1], torch.tensor(paper_sinusoids(6, 16)))
    states = torch.randn(1, 2, 16)
    torch.testing.assert_close(model.project(states), states @ table.T)


@pytest.mark.parametrize("first", [0, 1])
def test_zero_start(first):
    model, probe = tiny_model(zero_start=True), Embedded()
    target = torch.tensor([[2, 5, 6], [4, 7, 8]])
    model.embed("target", target, first=first, probe=probe)
    tokens, positions, total = probe.seen["target"]
    plain = 4 * model.target_embedding.weight[target]
    if first == 0:
        plain[:, 0] = 0
    torch.testing.assert_close(tokens, plain)
    torch.testing.assert_close(total, plain + positions)


def test_start_is_not_zero_otherwise():
    probe = Embedded()
    tiny_model().embed("target", torch.tensor([[2]]), probe=probe)
    assert (probe.seen["target"][0] != 0).all()


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_one_piece_at_a_position_is_embedded_as_in_the_whole_sentence(positions):
    model = tiny_model(positions=positions, position_table=20)
    target = torch.randint(3, 12, (2, 20))
    whole = model.embed("target", target)
    for t in range(20):
        assert torch.equal(model.embed("target", target[:, [t]], first=t)[:, 0], whole[:, t])


@pytest.mark.parametrize("side", ["source", "target"])
def test_learned_positions_refuse_before_anything_is_computed(side):
    model = tiny_model(positions="learned", position_table=6)
    ids = torch.full((1, 7), 5)
    with pytest.raises(HeadscopeError, match=r"7 pieces.*end at 6"):
        model.embed(side, ids)
    assert model.embed(side, ids[:, :6]).shape == (1, 6, 16)


def test_sinusoids_have_no_end():
    model = tiny_model()
    assert len(model.positions.table) < 1500
    batch = random_batch((1500,), (3,))
    assert model(*batch).isfinite().all()
