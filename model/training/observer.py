"""What a training run tells those who watch it. No torch at run time here: commands import it at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headscope.model.network.seq2seq import Seq2Seq


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMetrics:
    """Means over the updates since the last row. A token is a target piece, end of sentence included, no padding."""

    loss: float
    """What is minimised, nats a token."""
    nll: float
    """Without label smoothing, nats a token."""
    learning_rate: float
    """Of the last update."""
    tokens_per_second: float
    padding: float
    """Share of the padded source and target tokens that is padding."""
    gradient_norm: float
    """Mean norm of the gradient, before it is clipped."""
    gradient_peak: float
    """The largest of those norms."""
    gradient_peak_step: int
    """The update it was found at."""
    memory: int
    """Bytes held at most so far: on the GPU, or by the whole process where there is none."""
    tokens: int
    """Trained on so far."""
    flops: float
    """Floating-point operations so far; see `model.training.flops`."""
    seconds: float
    """Spent on training so far, validation not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationMetrics:
    """Measured on the development lines."""

    nll: float
    """Nats a token, without label smoothing; perplexity is exp of it."""
    loss: float
    """With label smoothing."""
    bleu: float | None
    """sacreBLEU of the first `dev_lines` lines, greedy; None: none were translated."""
    chrf: float | None
    best: bool
    """Whether no earlier validation had a lower `nll`."""


class TrainingObserver:
    """Every method does nothing: override the ones of interest.

    The model is the one being trained, in training mode: read it, and leave it and the random generators as they are.
    """

    def on_update(self, step: int, model: Seq2Seq, metrics: UpdateMetrics) -> None:
        """After every `log_every` updates."""

    def on_validation(self, step: int, model: Seq2Seq, metrics: ValidationMetrics) -> None:
        """After every `validate_every` updates, and after the last one."""

    def on_snapshot(self, step: int, model: Seq2Seq, file: Path) -> None:
        """After a snapshot was written, that of step 0 included."""

    def on_note(self, text: str) -> None:
        """Something the user should know, in one line."""
