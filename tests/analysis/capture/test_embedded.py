import pytest
import torch

from headscope.analysis.capture.embedded import embedded


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("side", ["source", "target"])
def test_tokens_and_positions_add_up_to_what_enters_the_model(exact, positions, side):
    model = exact(positions=positions, position_table=9).model
    ids = torch.tensor([[4, 5, 6], [6, 6, 7]])
    found = embedded(model, side, ids, first=2)
    assert not found.tokens.requires_grad
    torch.testing.assert_close(found.tokens + found.positions, model.embed(side, ids, first=2).detach())
    torch.testing.assert_close(found.tokens[0, 2], found.tokens[1, 0])  # a piece is the same wherever it stands
    torch.testing.assert_close(found.positions[0], embedded(model, side, ids).positions[2])
