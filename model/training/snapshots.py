"""Weights kept in files on the way: when, in which form, and their mean."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open

from headscope.model.checkpoint import average, read_weights, weights_of, write_weights
from headscope.model.files import AtomicWriter
from headscope.model.network.seq2seq import Seq2Seq


def snapshot_steps(steps: int, count: int) -> frozenset[int]:
    """Step 0 and updates up to the last one, equally far apart on a logarithmic scale: at most `count` in all."""
    return frozenset({0, *np.geomspace(1, steps, count - 1).round().astype(int).tolist()})


def save_weights(
    writer: AtomicWriter, folder: Path, step: int, model: Seq2Seq, dtype: torch.dtype, *, loss: float | None = None
) -> Path:
    """Write the weights of a step to the folder, and the development loss that they have."""
    path = folder / f"step-{step:07d}.safetensors"
    notes = {"step": str(step)} | ({} if loss is None else {"loss": repr(loss)})
    writer.replace(path, lambda file: write_weights(file, weights_of(model, dtype), notes))
    return path


def saved_weights(folder: Path) -> list[tuple[int, Path]]:
    """Step and file of all weights in the folder, earliest first."""
    return sorted((int(path.stem.removeprefix("step-")), path) for path in folder.glob("step-*.safetensors"))


def remove_after(writer: AtomicWriter, folder: Path, step: int) -> None:
    """Remove the weights of later steps, which a resumed run makes anew."""
    for saved, path in saved_weights(folder):
        if saved > step:
            writer.remove(path)


def saved_losses(folder: Path) -> dict[int, float]:
    """The development loss of all weights in the folder by step, earliest first; infinite where none was noted."""
    losses = {}
    for step, path in saved_weights(folder):
        with safe_open(path, framework="pt") as file:
            losses[step] = float((file.metadata() or {}).get("loss", math.inf))
    return losses


def around_best(losses: Mapping[int, float], count: int) -> tuple[int, ...]:
    """The validations that follow each other, at most `count`, with the lowest loss in their middle: by step.

    Where fewer than half of them come after it (or before it), more are taken from before (or after).
    """
    steps = sorted(losses)
    best = steps.index(_best(losses))
    first = max(0, min(best - count // 2, len(steps) - count))
    return tuple(steps[first : first + count])


def candidates(losses: Mapping[int, float], count: int) -> list[tuple[int, ...]]:
    """The steps whose weights may become the final ones, as their mean: around the best, the last, the best alone."""
    return list(dict.fromkeys([around_best(losses, count), tuple(sorted(losses)[-count:]), (_best(losses),)]))


def keep_candidates(writer: AtomicWriter, folder: Path, count: int) -> None:
    """Remove all weights but those that `candidates` may name now or after further validations."""
    losses = saved_losses(folder)
    kept = {step for steps in candidates(losses, count) for step in steps}
    for step, path in saved_weights(folder):
        if step not in kept:
            writer.remove(path)


def average_into(model: Seq2Seq, folder: Path, steps: Collection[int]) -> None:
    """Give the model the mean of the weights of some steps in the folder; tied tables stay tied."""
    paths = [path for step, path in saved_weights(folder) if step in steps]
    model.load_state_dict(average([read_weights(path) for path in paths]), strict=False)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which weights became the final ones."""

    steps: tuple[int, ...]
    """They are the mean of those of these steps."""
    losses: tuple[float | None, ...]
    """Development loss of each; None: not noted, by an earlier version."""
    tried: Mapping[tuple[int, ...], float]
    """Development loss of every mean that came into question, by steps."""


def take_best(model: Seq2Seq, folder: Path, count: int, measure: Callable[[], float]) -> Choice:
    """Give the model the mean with the lowest loss of all `candidates` in the folder.

    Args:
        measure: the development loss of the model as it is.
    """
    losses, tried = saved_losses(folder), dict[tuple[int, ...], float]()
    for steps in candidates(losses, count):
        average_into(model, folder, steps)
        tried[steps] = measure()
    chosen = min(tried, key=tried.__getitem__)
    average_into(model, folder, chosen)
    noted = tuple(losses[step] if math.isfinite(losses[step]) else None for step in chosen)
    return Choice(chosen, noted, tried)


def _best(losses: Mapping[int, float]) -> int:
    """The step with the lowest loss, the first of several."""
    return min(sorted(losses), key=losses.__getitem__)
