"""What a training will take: parameters, operations, memory and time, from its recipe and a short measurement here.

The time is that of updates alone: validations, snapshots and what else runs on the machine come on top.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from headscope.model.data.batching import Batch, EncodedCorpus, Sequences, TokenBatches
from headscope.model.errors import HeadscopeError
from headscope.model.network.architectures import build
from headscope.model.network.device import choose_device
from headscope.model.progress import Progress, Silent
from headscope.model.training.flops import update_flops
from headscope.model.training.recipe import Recipe
from headscope.model.training.step import Objective, TrainStep

PIECES_A_CHARACTER = 0.24
"""Of English and German text cut into some thousand pieces, roughly."""
MEAN_PIECES = 13.0
MEASURED = 1024
"""Padded tokens of the batches that are measured at most: larger ones take as much longer as they have operations."""
ROUNDS = 3
ENOUGH = 4
"""Batches of random sentences, of which the largest is measured."""
BYTES_A_PARAMETER = 16
"""Weight, gradient and two moments in fp32."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a training will take."""

    parameters: int
    flops: float
    """Floating-point operations of an update; see `model.training.flops`."""
    seconds: float
    """Of an update, on this machine as it is now."""
    memory: float
    """Bytes: weights, gradients, moments, and what the forward pass keeps for the backward pass."""
    updates: int

    @property
    def total_seconds(self) -> float:
        """Of all updates."""
        return self.updates * self.seconds


def parameter_count(recipe: Recipe) -> int:
    """Parameters of the model; nothing is allocated."""
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in build(recipe.model_for(recipe.vocabulary)).parameters())


def estimate(
    recipe: Recipe, *, device: str = "auto", characters: float | None = None, progress: Progress | None = None
) -> Estimate:
    """Measure a few updates of the recipe's model with random text.

    The global random generators and the number of threads come back as they were.

    Args:
        characters: of a sentence of the training text on average; None: 13 pieces a sentence are taken.

    Raises:
        HeadscopeError: the device is not there, or has too little memory.
        Cancelled: `progress` wants it to stop.
    """
    progress, chosen = progress or Silent(), choose_device(device)
    pieces = characters * PIECES_A_CHARACTER if characters else MEAN_PIECES
    size = recipe.batch_tokens // recipe.accumulate
    whole, part = (_batch(recipe, min(size, limit), pieces) for limit in (size, MEASURED))
    threads = torch.get_num_threads()
    try:
        with torch.random.fork_rng():
            seconds, kept = _measure(recipe, part, chosen, progress)
    except torch.OutOfMemoryError as error:
        raise HeadscopeError(f"{chosen} has too little memory for this model: choose a smaller one") from error
    finally:
        torch.set_num_threads(threads)
    parameters, factor = parameter_count(recipe), _flops(recipe, whole) / _flops(recipe, part)
    return Estimate(
        parameters=parameters,
        flops=_flops(recipe, whole) * recipe.accumulate,
        seconds=seconds * factor * recipe.accumulate,
        memory=BYTES_A_PARAMETER * parameters + kept * factor,
        updates=recipe.steps,
    )


def _measure(recipe: Recipe, batch: Batch, device: torch.device, progress: Progress) -> tuple[float, float]:
    """Seconds of an update, the least of some, and the bytes that its forward pass keeps."""
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    config = recipe.model_for(recipe.vocabulary)
    objective = Objective(build(config).to(device).train(), smoothing=recipe.label_smoothing)
    step = TrainStep(objective, recipe.schedule.at(config.d_model), clip=recipe.clip, precision=recipe.precision)
    storages: dict[int, int] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    weights = {parameter.untyped_storage().data_ptr() for parameter in objective.parameters()}
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        step.update(1, [batch])
    seconds = []
    for round_ in range(ROUNDS):
        progress.update(round_, ROUNDS)
        seconds.append(_seconds(lambda at=round_: step.update(at + 2, [batch]), device))
    progress.update(ROUNDS, ROUNDS)
    return min(seconds), float(sum(size for place, size in storages.items() if place not in weights))


def _seconds(work: Callable[[], object], device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    began = time.perf_counter()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter() - began


def _batch(recipe: Recipe, tokens: int, pieces: float) -> Batch:
    """Sentences of random pieces, in the lengths of short sentences, as one batch of the recipe."""
    random = np.random.default_rng(0)
    most = min(recipe.max_pieces - 1, max(1, tokens - 1))
    count = int(ENOUGH * tokens / pieces) + 1
    lengths = np.clip(random.gamma(4.0, pieces / 4, count).round().astype(int), 1, most)
    rows = [random.integers(4, recipe.vocabulary, length).tolist() for length in lengths]
    corpus = EncodedCorpus(Sequences.of(rows), Sequences.of(rows), 0, 2, 3)
    batches = TokenBatches(corpus, tokens=tokens, seed=0)
    return max((batches.batch(0, index) for index in range(batches.count(0))), key=lambda batch: batch.source.numel())


def _flops(recipe: Recipe, batch: Batch) -> float:
    return update_flops(
        recipe.model_for(recipe.vocabulary),
        rows=len(batch.source),
        source=batch.source.shape[1],
        target=batch.target_out.shape[1],
        real=batch.target_tokens,
    )
