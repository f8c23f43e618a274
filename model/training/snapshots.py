"""Weights kept in files on the way: when, in which form, and their mean."""

from pathlib import Path

import numpy as np
import torch

from headscope.model.checkpoint import average, read_weights, weights_of, write_weights
from headscope.model.files import AtomicWriter
from headscope.model.network.transformer import Transformer


def snapshot_steps(steps: int, count: int) -> frozenset[int]:
    """Step 0 and updates up to the last one, equally far apart on a logarithmic scale: at most `count` in all."""
    return frozenset({0, *np.geomspace(1, steps, count - 1).round().astype(int).tolist()})


def save_weights(writer: AtomicWriter, folder: Path, step: int, model: Transformer, dtype: torch.dtype) -> Path:
    """Write the weights of a step to the folder."""
    path = folder / f"step-{step:07d}.safetensors"
    writer.replace(path, lambda file: write_weights(file, weights_of(model, dtype), {"step": str(step)}))
    return path


def saved_weights(folder: Path) -> list[tuple[int, Path]]:
    """Step and file of all weights in the folder, earliest first."""
    return sorted((int(path.stem.removeprefix("step-")), path) for path in folder.glob("step-*.safetensors"))


def remove_after(writer: AtomicWriter, folder: Path, step: int) -> None:
    """Remove the weights of later steps, which a resumed run makes anew."""
    for saved, path in saved_weights(folder):
        if saved > step:
            writer.remove(path)


def keep_last(writer: AtomicWriter, folder: Path, count: int) -> None:
    """Remove all but the last sets of weights."""
    for _, path in saved_weights(folder)[:-count]:
        writer.remove(path)


def average_into(model: Transformer, folder: Path, count: int) -> list[int]:
    """Give the model the mean of the last weights in the folder; tied tables stay tied. Returns the steps averaged."""
    saved = saved_weights(folder)[-count:]
    model.load_state_dict(average([read_weights(path) for _, path in saved]), strict=False)
    return [step for step, _ in saved]
