"""What `headscope train` shows while it works."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from headscope.model.progress import Cancelled
from headscope.model.training.observer import TrainingObserver, UpdateMetrics, ValidationMetrics

if TYPE_CHECKING:
    from headscope.model.network.seq2seq import Seq2Seq


class TrainDisplay(TrainingObserver):
    """A bar with figures on standard error, a line for each validation, and the way a signal reaches the trainer.

    Where standard error is no terminal there are only the lines.
    """

    def __init__(self, received: list[int], *, visible: bool = True) -> None:
        self._received = received
        """Signals that asked to stop."""
        self._visible = visible
        self._bar = Progress(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("preparing", total=None)

    def __enter__(self) -> "TrainDisplay":
        if self._visible and self._bar.console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._visible and self._bar.console.is_terminal:
            self._bar.stop()

    def update(self, done: int, total: int | None) -> None:
        """Move the bar.

        Raises:
            Cancelled: a signal has come in.
        """
        self._bar.update(self._task, completed=done, total=total)
        if self._received:
            raise Cancelled

    def on_update(self, step: int, model: "Seq2Seq", metrics: UpdateMetrics) -> None:
        """Show the newest figures beside the bar."""
        figures = f"{metrics.tokens_per_second:,.0f} tokens/s  {metrics.loss:.3f} nats/token"
        self._bar.update(self._task, description=f"{figures}  rate {metrics.learning_rate:.1e}")

    def on_validation(self, step: int, model: "Seq2Seq", metrics: ValidationMetrics) -> None:
        """A line that stays."""
        scores = "" if metrics.bleu is None else f", BLEU {metrics.bleu:.1f}, chrF {metrics.chrf:.1f}"
        self.on_note(f"update {step:,}: development loss {metrics.nll:.3f} nats/token{scores}")

    def on_note(self, text: str) -> None:
        """A line that stays."""
        self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)
