"""All that a run needs to go on exactly where it was, as one safetensors file: written whole or not at all.

Tensors: the parameters, the two moments and the count of updates that Adam keeps of each, the random generators, and
how often each position occurred. Everything else is plain numbers, as JSON in the header of the file.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.optim import Optimizer

from headscope.model.checkpoint import write_weights
from headscope.model.errors import HeadscopeError
from headscope.model.files import AtomicWriter
from headscope.model.network.seq2seq import Seq2Seq


@dataclass(slots=True)
class Counters:
    """How far a run has come. Plain numbers, changed by the trainer alone."""

    step: int = 0
    """Updates made."""
    epoch: int = 0
    batch: int = 0
    """The batch of that epoch to come next."""
    tokens: int = 0
    flops: float = 0.0
    seconds: float = 0.0
    best: float | None = None
    """The lowest validation loss (nll) so far."""
    stale: int = 0
    """Validations since then."""


@dataclass(slots=True)
class PositionCounts:
    """How often each position occurred in training, by side; the first is position 0."""

    source: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    target: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, source: Tensor, target: Tensor) -> None:
        """Count the real pieces of a batch, given as [B S] and [B T], True where there is one."""
        self.source = _add(self.source, source.sum(0).cpu().numpy())
        self.target = _add(self.target, target.sum(0).cpu().numpy())


def _add(total: np.ndarray, counts: np.ndarray) -> np.ndarray:
    longest = max(len(total), len(counts))
    return np.pad(total, (0, longest - len(total))) + np.pad(counts, (0, longest - len(counts)))


def save_state(
    writer: AtomicWriter,
    path: Path,
    model: Seq2Seq,
    optimiser: Optimizer,
    counters: Counters,
    positions: PositionCounts,
) -> None:
    """Write everything."""
    tensors: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        tensors[f"model/{name}"] = parameter.detach()
        for key, value in optimiser.state[parameter].items():
            tensors[f"optimiser/{key}/{name}"] = value
    tensors["random/cpu"] = torch.get_rng_state()
    if model.device.type == "cuda":
        tensors["random/cuda"] = torch.cuda.get_rng_state(model.device)
    tensors["positions/source"] = torch.from_numpy(positions.source)
    tensors["positions/target"] = torch.from_numpy(positions.target)
    header = {"counters": json.dumps(asdict(counters))}
    writer.replace(path, lambda file: write_weights(file, {k: v.contiguous() for k, v in tensors.items()}, header))


def load_state(path: Path, model: Seq2Seq, optimiser: Optimizer) -> tuple[Counters, PositionCounts]:
    """Put the model, the optimiser and the random generators into the state of a file.

    Raises:
        HeadscopeError: the file is not whole, or is that of another model.
    """
    try:
        with safe_open(path, framework="pt") as file:
            tensors: dict[str, Tensor] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            counters = Counters(**json.loads(file.metadata()["counters"]))
        _restore(tensors, model, optimiser)
        positions = PositionCounts(tensors["positions/source"].numpy(), tensors["positions/target"].numpy())
        torch.set_rng_state(tensors["random/cpu"])
        if model.device.type == "cuda" and "random/cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random/cuda"], model.device)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise HeadscopeError(
            f"{path} is not the state of this run ({error}): restore it from a copy, or start in another folder"
        ) from error
    return counters, positions


@torch.no_grad()
def _restore(tensors: dict[str, Tensor], model: Seq2Seq, optimiser: Optimizer) -> None:
    kept: dict[str, dict[str, Tensor]] = {}
    for full_name, tensor in tensors.items():
        if full_name.startswith("optimiser/"):
            _, key, name = full_name.split("/")
            kept.setdefault(name, {})[key] = tensor
    for name, parameter in model.named_parameters():
        parameter.copy_(tensors[f"model/{name}"])
        if name in kept:
            optimiser.state[parameter] = {key: value.to(parameter.device) for key, value in kept[name].items()}
