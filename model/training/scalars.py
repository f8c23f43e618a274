"""The figures of a training run for TensorBoard. The library tensorboard comes with the extra `tensorboard`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from headscope.model.errors import HeadscopeError
from headscope.model.training.observer import TrainingObserver, UpdateMetrics, ValidationMetrics

if TYPE_CHECKING:
    from headscope.model.network.seq2seq import Seq2Seq


class ScalarWriter(TrainingObserver):
    """Writes each metric as a scalar: `update/…` and `validation/…`, by update. Show them with `tensorboard --logdir`.

    A run that goes on from an earlier update replaces what was written beyond it.
    """

    def __init__(self, folder: Path) -> None:
        """Write event files into a folder, which is made with the first figures.

        Raises:
            HeadscopeError: tensorboard is not installed.
        """
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise HeadscopeError(
                "figures for TensorBoard need tensorboard: pip install 'headscope[tensorboard]'"
            ) from error
        self._open = lambda step: SummaryWriter(str(folder), purge_step=step)
        self._writer: SummaryWriter | None = None

    def on_update(self, step: int, model: "Seq2Seq", metrics: UpdateMetrics) -> None:
        """Means over the updates since the last time."""
        self._write("update", step, asdict(metrics))

    def on_validation(self, step: int, model: "Seq2Seq", metrics: ValidationMetrics) -> None:
        """Measures on the development lines."""
        self._write("validation", step, asdict(metrics))

    def _write(self, kind: str, step: int, values: dict[str, float | None]) -> None:
        if self._writer is None:
            self._writer = self._open(step)
        for name, value in values.items():
            if value is not None:
                self._writer.add_scalar(f"{kind}/{name}", value, step)
        self._writer.flush()
