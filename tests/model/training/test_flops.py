"""The formula against torch's own count of what is computed."""

from typing import Any

import pytest
from torch.utils.flop_counter import FlopCounterMode

from headscope.model.data.batching import EncodedCorpus, Sequences, make_batch
from headscope.model.training.flops import update_flops
from headscope.model.training.step import Objective
from tests.toys import tiny_model

UNIFORM: dict[str, Any] = {"attention": {"cross": {"pattern": "uniform"}, "encoder": {"pattern": "positional"}}}


@pytest.mark.parametrize("changes", [{}, {"key_size": 3, "value_size": 5}, UNIFORM], ids=["paper", "sizes", "patterns"])
def test_equals_what_torch_counts(changes):
    # Dropout of weights keeps torch on plain matrix products, which its counter knows.
    model = tiny_model(attention_dropout=0.5, **changes).train()
    sides = Sequences.of([[4, 5, 6, 7], [5, 6]]), Sequences.of([[7, 8], [9, 4, 5, 6, 6, 7]])
    batch = make_batch(EncodedCorpus(*sides, pad=0, start=2, end=3), [0, 1])
    with FlopCounterMode(display=False) as counter:
        Objective(model, smoothing=0.1)(batch).smoothed.backward()
    found = update_flops(model.config, rows=2, source=5, target=7, real=10)
    assert found == pytest.approx(counter.get_total_flops(), rel=1e-12)
