"""When snapshots are taken, what they hold, and the mean of several."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from headscope.model.files import AtomicWriter
from headscope.model.training.snapshots import (
    average_into,
    keep_last,
    remove_after,
    save_weights,
    saved_weights,
    snapshot_steps,
)
from tests.toys import tiny_model


def test_steps_are_far_apart_in_the_end_and_close_at_the_start():
    steps = sorted(snapshot_steps(20_000, 25))
    assert steps[:3] == [0, 1, 2]
    assert steps[-1] == 20_000
    assert 20 <= len(steps) <= 25
    late = [b / a for a, b in zip(steps[-8:], steps[-7:], strict=False)]
    assert max(late) / min(late) < 1.01


@pytest.mark.parametrize("steps", [1, 2, 6])
def test_short_runs_have_few(steps: int):
    assert snapshot_steps(steps, 25) == frozenset(range(steps + 1))


def test_a_snapshot_is_fp16_and_holds_a_tied_table_once(tmp_path: Path):
    model = tiny_model()
    file = save_weights(AtomicWriter(), tmp_path, 12, model, torch.float16)
    assert file.name == "step-0000012.safetensors"
    tensors = load_file(file)
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    assert sum(tensor.numel() for tensor in tensors.values()) == sum(p.numel() for p in model.parameters())


def save_several(folder: Path) -> list[list[Tensor]]:
    saved = []
    for step, seed in ((5, 0), (10, 1), (20, 2)):
        model = tiny_model(seed)
        save_weights(AtomicWriter(), folder, step, model, torch.float32)
        saved.append([p.detach() for p in model.parameters()])
    return saved


def test_average_is_the_mean_and_tied_tables_stay_tied(tmp_path: Path):
    saved = save_several(tmp_path)
    model = tiny_model(3)
    assert average_into(model, tmp_path, 9) == [5, 10, 20]
    for mean, *single in zip(model.parameters(), *saved, strict=True):
        torch.testing.assert_close(
            mean.detach(), torch.stack([s.double() for s in single]).mean(0).float(), rtol=0, atol=0
        )
    assert average_into(model, tmp_path, 1) == [20]
    assert torch.equal(model.source_embedding.weight, saved[-1][0])
    assert model.projection.weight is model.source_embedding.weight is model.target_embedding.weight


def test_files_are_dropped_from_either_end(tmp_path: Path):
    save_several(tmp_path)
    remove_after(AtomicWriter(), tmp_path, 10)
    assert [step for step, _ in saved_weights(tmp_path)] == [5, 10]
    keep_last(AtomicWriter(), tmp_path, 1)
    assert [step for step, _ in saved_weights(tmp_path)] == [10]
