"""Means over updates, by hand."""

import pytest
import torch

from headscope.model.data.batching import Batch
from headscope.model.training.meter import Meter, peak_memory
from headscope.model.training.state import Counters
from headscope.model.training.step import Update

CPU = torch.device("cpu")


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
    first = Update(loss=30.0, nll=20.0, tokens=10, learning_rate=0.1, gradient_norm=5.0)
    meter.add(41, first, [batch([4, 2], [6, 4])], 1.0)
    second = Update(loss=10.0, nll=10.0, tokens=30, learning_rate=0.2, gradient_norm=3.0)
    meter.add(42, second, [batch([9], [30])], 3.0)
    found = meter.read(Counters(tokens=500, flops=7.0, seconds=60.0), CPU)
    assert meter.updates == 2
    assert (found.loss, found.nll, found.learning_rate, found.tokens_per_second) == (1.0, 0.75, 0.2, 10.0)
    assert (found.tokens, found.flops, found.seconds) == (500, 7.0, 60.0)
    assert (found.gradient_norm, found.gradient_peak, found.gradient_peak_step) == (4.0, 5.0, 41)


def test_padding_of_both_sides_counts():
    meter = Meter()
    # 2 · 4 + 2 · 6 places, of which 6 + 10 are taken; then another batch of the same update, without padding.
    meter.add(1, Update(1.0, 1.0, 10, 0.1, 1.0), [batch([4, 2], [6, 4]), batch([2, 2], [8, 8])], 1.0)
    assert meter.read(Counters(), CPU).padding == pytest.approx(4 / 40)


def test_memory_is_that_of_the_process():
    block = bytearray(64 << 20)
    block[::4096] = bytes(len(block[::4096])).replace(b"\0", b"1")
    assert peak_memory(CPU) > len(block)
