from typing import get_args

import pytest
import torch

from headscope.model.config import Positions
from headscope.model.network.positions import LearnedPositions, sinusoid_table
from headscope.model.network.relative_positions import RotaryPositions, ShawPositions, T5Positions
from headscope.model.network.schemes import position_scheme
from tests.toys import random_batch, tiny_config, tiny_model


def test_scheme_of_a_configuration():
    learned = position_scheme(tiny_config(positions="learned", position_table=33))
    assert isinstance(learned, LearnedPositions)
    assert learned.limit == 33
    sinusoidal = position_scheme(tiny_config(sinusoid_layout="halves_fairseq"))
    assert torch.equal(sinusoidal.embed(0, 5), sinusoid_table(5, 16, "halves_fairseq"))
    rotary = position_scheme(tiny_config(positions="rotary", rotary_base=500.0))
    assert isinstance(rotary, RotaryPositions)
    assert rotary.base == 500
    shaw = position_scheme(tiny_config(positions="shaw", shaw_reach=3))
    assert isinstance(shaw, ShawPositions)
    assert {vectors.shape[1] for vectors in shaw.keys.values()} == {7}
    t5 = position_scheme(tiny_config(positions="t5", t5_buckets=8, t5_furthest=20))
    assert isinstance(t5, T5Positions)
    assert (t5.biases["encoder"].shape[0], t5.furthest) == (8, 20)


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("positions", [name for name in get_args(Positions) if name != "none"])
def test_every_scheme_but_none_tells_orders_apart(positions):
    torch.manual_seed(0)
    model = tiny_model(positions=positions)
    with torch.no_grad():
        for parameter in model.positions.parameters():
            parameter.normal_()
    source, present, target = random_batch((5,), (3,))
    assert not torch.allclose(model(source, present, target), model(source.roll(2, 1), present, target))


@pytest.mark.usefixtures("float64")
def test_without_positions_the_order_of_the_source_is_lost():
    model = tiny_model(positions="none")
    source, present, target = random_batch((5,), (3,))
    expected = model(source, present, target)
    torch.testing.assert_close(model(source.flip(1), present, target), expected, rtol=0, atol=1e-9)
    assert model.config.position_limit is None
