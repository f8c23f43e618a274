"""What a training will take, against a training that was really done."""

import pytest
import torch

from headscope.model.network.architectures import build
from headscope.model.training.estimate import BYTES_A_PARAMETER, estimate, parameter_count
from headscope.model.training.recipe import parse_recipe
from tests.training_toys import toy_fields

CPU = "cpu"


def test_parameters_are_those_of_the_model(toy):
    assert parameter_count(toy()) == sum(p.numel() for p in build(toy().model_for(300)).parameters())


def test_operations_grow_with_the_batch_and_memory_with_the_model(toy):
    small, wide = estimate(toy(batch_tokens=240), device=CPU), estimate(toy(batch_tokens=960), device=CPU)
    assert wide.flops / small.flops == pytest.approx(4, rel=0.25)
    assert wide.memory - BYTES_A_PARAMETER * wide.parameters > 2 * (small.memory - BYTES_A_PARAMETER * small.parameters)
    assert small.memory > BYTES_A_PARAMETER * small.parameters
    assert small.total_seconds == pytest.approx(6 * small.seconds)
    assert small.seconds > 0


def test_batches_cut_in_parts_take_the_operations_of_whole_ones(toy):
    whole, cut = (estimate(toy(batch_tokens=960, accumulate=parts), device=CPU) for parts in (1, 4))
    assert cut.flops / whole.flops == pytest.approx(1, rel=0.25)
    assert cut.memory < whole.memory


def test_random_numbers_and_threads_come_back(toy):
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    estimate(toy(threads=threads + 1), device=CPU)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.get_num_threads() == threads


def test_time_is_about_that_of_updates(monkeypatch):
    """What is measured on a part of a batch stands for the whole by its operations."""
    monkeypatch.setattr("headscope.model.training.estimate.MEASURED", 512)
    monkeypatch.setattr("headscope.model.training.estimate._seconds", lambda work, device: 2.0)
    found = estimate(parse_recipe(toy_fields(batch_tokens=2048, max_pieces=60)), device=CPU)
    part = estimate(parse_recipe(toy_fields(batch_tokens=512, max_pieces=60)), device=CPU)
    assert found.seconds / part.seconds == pytest.approx(found.flops / part.flops)
    assert part.seconds == 2.0
