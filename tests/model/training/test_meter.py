"""Means over updates, by hand."""

import pytest
import torch

from headscope.model.data.batching import Batch
from headscope.model.training.meter import Meter
from headscope.model.training.state import Counters
from headscope.model.training.step import Update


def batch(source: list[int], target: list[int]) -> Batch:
    """Sentences of these lengths."""
    lengths, others = torch.tensor(source), torch.tensor(target)
    ids = torch.zeros(len(target), max(target), dtype=torch.long)
    return Batch(
        source=torch.zeros(len(source), max(source), dtype=torch.long),
        target_in=ids,
        target_out=ids,
        source_lengths=lengths,
        target_lengths=others,
        source_tokens=sum(source),
        target_tokens=sum(target),
    )


def test_means_are_over_tokens_and_not_over_updates():
    meter = Meter()
    meter.add(Update(loss=30.0, nll=20.0, tokens=10, learning_rate=0.1), [batch([4, 2], [6, 4])], 1.0)
    meter.add(Update(loss=10.0, nll=10.0, tokens=30, learning_rate=0.2), [batch([9], [30])], 3.0)
    found = meter.read(Counters(tokens=500, flops=7.0, seconds=60.0))
    assert meter.updates == 2
    assert (found.loss, found.nll, found.learning_rate, found.tokens_per_second) == (1.0, 0.75, 0.2, 10.0)
    assert (found.tokens, found.flops, found.seconds) == (500, 7.0, 60.0)


def test_padding_of_both_sides_counts():
    meter = Meter()
    # 2 · 4 + 2 · 6 places, of which 6 + 10 are taken; then another batch of the same update, without padding.
    meter.add(Update(1.0, 1.0, 10, 0.1), [batch([4, 2], [6, 4]), batch([2, 2], [8, 8])], 1.0)
    assert meter.read(Counters()).padding == pytest.approx(4 / 40)
