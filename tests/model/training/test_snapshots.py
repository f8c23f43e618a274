"""When snapshots are taken, what they hold, and the mean of several."""

import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import Tensor

from headscope.model.files import AtomicWriter
from headscope.model.training.snapshots import (
    average_into,
    candidates,
    keep_candidates,
    remove_after,
    save_weights,
    saved_losses,
    saved_weights,
    snapshot_steps,
    take_best,
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


def save_several(folder: Path, losses: tuple[float | None, ...] = (2.0, 1.0, 3.0)) -> list[list[Tensor]]:
    saved = []
    for step, seed, loss in zip((5, 10, 20), (0, 1, 2), losses, strict=True):
        model = tiny_model(seed)
        save_weights(AtomicWriter(), folder, step, model, torch.float32, loss=loss)
        saved.append([p.detach() for p in model.parameters()])
    return saved


def test_average_is_the_mean_and_tied_tables_stay_tied(tmp_path: Path):
    saved = save_several(tmp_path)
    model = tiny_model(3)
    average_into(model, tmp_path, (5, 10, 20))
    for mean, *single in zip(model.parameters(), *saved, strict=True):
        torch.testing.assert_close(
            mean.detach(), torch.stack([s.double() for s in single]).mean(0).float(), rtol=0, atol=0
        )
    average_into(model, tmp_path, (20,))
    assert torch.equal(model.source_embedding.weight, saved[-1][0])
    assert model.projection.weight is model.source_embedding.weight is model.target_embedding.weight


def test_files_are_dropped_from_either_end(tmp_path: Path):
    save_several(tmp_path, (3.0, 2.0, 1.0))
    remove_after(AtomicWriter(), tmp_path, 10)
    assert saved_losses(tmp_path) == {5: 3.0, 10: 2.0}
    keep_candidates(AtomicWriter(), tmp_path, 1)
    assert [step for step, _ in saved_weights(tmp_path)] == [10]


@pytest.mark.parametrize(
    ("losses", "count", "expected"),
    [
        ([5, 4, 3, 2, 1], 3, [(3, 4, 5), (5,)]),  # better to the end: the last, as ever
        ([5, 1, 2, 3, 4, 5, 6], 3, [(1, 2, 3), (5, 6, 7), (2,)]),  # the best is long gone
        ([1, 2, 3, 4, 5], 3, [(1, 2, 3), (3, 4, 5), (1,)]),
        ([5, 4, 3, 1, 2], 3, [(3, 4, 5), (4,)]),
        ([9, 8, 7, 1, 2, 3, 4], 4, [(2, 3, 4, 5), (4, 5, 6, 7), (4,)]),
        ([3, 1, 1, 2], 1, [(2,), (4,)]),  # the first of equals
        ([2, 1], 5, [(1, 2), (2,)]),
        ([math.inf] * 3, 2, [(1, 2), (2, 3), (1,)]),  # kept by an earlier version, which noted no losses
    ],
)
def test_means_that_come_into_question(losses: list[float], count: int, expected: list[tuple[int, ...]]):
    assert candidates(dict(enumerate(map(float, losses), 1)), count) == expected


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0]), min_size=1, max_size=30), st.integers(1, 6))
def test_dropping_on_the_way_loses_no_candidate(losses: list[float], count: int):
    kept: dict[int, float] = {}
    for step, loss in enumerate(losses):
        kept[step] = loss
        found = candidates(kept, count)
        kept = {step: kept[step] for steps in found for step in steps}
        assert found == candidates(dict(enumerate(losses[: step + 1])), count)
        assert len(kept) <= 2 * count


@pytest.mark.parametrize("best", [(5, 10), (10, 20), (10,)])
def test_the_mean_with_the_lowest_loss_is_taken(tmp_path: Path, best: tuple[int, ...]):
    saved = dict(zip((5, 10, 20), save_several(tmp_path), strict=True))
    model = tiny_model(3)
    wanted = [torch.stack([saved[step][row] for step in best]).mean(0) for row in range(len(saved[5]))]

    @torch.no_grad()
    def measure() -> float:
        return sum(float((p - q).abs().sum()) for p, q in zip(model.parameters(), wanted, strict=True))

    choice = take_best(model, tmp_path, 2, measure)
    assert choice.steps == best
    assert choice.losses == tuple({5: 2.0, 10: 1.0, 20: 3.0}[step] for step in best)
    assert list(choice.tried) == [(5, 10), (10, 20), (10,)]
    assert measure() == pytest.approx(0, abs=1e-3)
    assert min(choice.tried.values()) == choice.tried[best]


def test_losses_that_an_earlier_version_did_not_note(tmp_path: Path):
    save_several(tmp_path, (None, None, None))
    assert take_best(tiny_model(), tmp_path, 3, lambda: 1.0).losses == (None, None, None)
