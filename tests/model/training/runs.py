"""Runs that are stopped, and whether two runs are one."""

import json
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

from headscope.model.progress import Cancelled
from headscope.model.training.run_directory import read_metrics


class StopAt:
    """A `Progress` that cancels the training after an update."""

    def __init__(self, step: int, steps: int) -> None:
        self.step, self.steps = step, steps

    def update(self, done: int, total: int | None) -> None:
        if (done, total) == (self.step, self.steps):
            raise Cancelled


def contents(run: Path) -> tuple[dict[str, Tensor], dict[str, object], list[dict[str, object]]]:
    """State, counters and metrics of a run, without what clocks and the machine say."""
    with safe_open(run / "state.safetensors", "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        counters = json.loads(file.metadata()["counters"])
    del counters["seconds"]
    clocks = {"time", "seconds", "tokens_per_second", "memory"}
    return tensors, counters, [{k: v for k, v in row.items() if k not in clocks} for row in read_metrics(run)]


def assert_same(a: Path, b: Path) -> None:
    """Two runs agree bit by bit: weights, moments, random generators, position counts, place in the data, rows."""
    (tensors, *rest), (others, *other_rest) = contents(a), contents(b)
    assert tensors.keys() == others.keys()
    for name, tensor in tensors.items():
        assert torch.equal(tensor, others[name]), name
    assert rest == other_rest
