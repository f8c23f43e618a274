"""Sums over the updates between two rows of metrics."""

import resource
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from headscope.model.data.batching import Batch
from headscope.model.training.observer import UpdateMetrics
from headscope.model.training.state import Counters
from headscope.model.training.step import Update


@dataclass(slots=True)
class Meter:
    """Filled by the trainer, update by update."""

    updates: int = 0
    loss: float = 0.0
    nll: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    real: int = 0
    """Source and target tokens."""
    padded: int = 0
    """The same with padding."""
    learning_rate: float = 0.0
    norms: float = 0.0
    peak: float = 0.0
    peak_step: int = 0

    def add(self, step: int, update: Update, batches: Sequence[Batch], seconds: float) -> None:
        """Take in one update by its number."""
        self.updates += 1
        self.loss += update.loss
        self.nll += update.nll
        self.tokens += update.tokens
        self.seconds += seconds
        self.learning_rate = update.learning_rate
        self.norms += update.gradient_norm
        if update.gradient_norm > self.peak:
            self.peak, self.peak_step = update.gradient_norm, step
        for batch in batches:
            self.real += batch.source_tokens + batch.target_tokens
            self.padded += batch.source.numel() + batch.target_out.numel()

    def read(self, counters: Counters, device: torch.device) -> UpdateMetrics:
        """The means; the model is on `device`."""
        return UpdateMetrics(
            loss=self.loss / self.tokens,
            nll=self.nll / self.tokens,
            learning_rate=self.learning_rate,
            tokens_per_second=self.tokens / self.seconds,
            padding=1 - self.real / self.padded,
            gradient_norm=self.norms / self.updates,
            gradient_peak=self.peak,
            gradient_peak_step=self.peak_step,
            memory=peak_memory(device),
            tokens=counters.tokens,
            flops=counters.flops,
            seconds=counters.seconds,
        )


def peak_memory(device: torch.device) -> int:
    """Bytes that this process has held at most: of the GPU's memory where it computes on one, else of the machine's."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
