"""Sums over the updates between two rows of metrics."""

from collections.abc import Sequence
from dataclasses import dataclass

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

    def add(self, update: Update, batches: Sequence[Batch], seconds: float) -> None:
        """Take in one update."""
        self.updates += 1
        self.loss += update.loss
        self.nll += update.nll
        self.tokens += update.tokens
        self.seconds += seconds
        self.learning_rate = update.learning_rate
        for batch in batches:
            self.real += batch.source_tokens + batch.target_tokens
            self.padded += batch.source.numel() + batch.target_out.numel()

    def read(self, counters: Counters) -> UpdateMetrics:
        """The means."""
        return UpdateMetrics(
            loss=self.loss / self.tokens,
            nll=self.nll / self.tokens,
            learning_rate=self.learning_rate,
            tokens_per_second=self.tokens / self.seconds,
            padding=1 - self.real / self.padded,
            tokens=counters.tokens,
            flops=counters.flops,
            seconds=counters.seconds,
        )
