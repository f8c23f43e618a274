"""One update of the weights from one or several batches.

`N` real target positions of a batch.
"""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from headscope.model.data.batching import Batch
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import Precision, autocast
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.training.loss import Loss, label_smoothed_cross_entropy
from headscope.model.training.process_group import ALONE, ProcessGroup
from headscope.model.training.schedule import Schedule


class Objective(nn.Module):
    """The model and its loss as one module: a batch in, the loss summed over its real target pieces out."""

    def __init__(self, model: Seq2Seq, *, smoothing: float) -> None:
        super().__init__()
        self.model = model
        self.smoothing = smoothing

    def forward(self, batch: Batch) -> Loss:
        """Teacher-forced. Only the states of real positions [N D] are projected to the vocabulary."""
        model = self.model
        memory = model.encode(model.embed("source", batch.source), batch.source_mask)
        real = batch.target_mask
        states = model.decode(model.embed("target", batch.target_in), memory, written=real)
        output = model.output
        return label_smoothed_cross_entropy(
            states[real], output.weight, output.bias, batch.target_out[real], smoothing=self.smoothing
        )


@dataclass(frozen=True, slots=True)
class Update:
    """What one update saw in all processes: sums in nats over `tokens` target pieces, and the rate it was made at."""

    loss: float
    nll: float
    tokens: int
    learning_rate: float
    gradient_norm: float
    """Euclidean, over all weights, of the mean loss a token; before it is clipped."""


class TrainStep:
    """Adam as in section 5.3 of Vaswani et al. 2017: β = (0.9, 0.98), ε = 1e-9, no weight decay.

    Weights, gradients and moments are float32, whatever precision the matrix products have.
    """

    def __init__(
        self,
        objective: Objective,
        schedule: Schedule,
        *,
        clip: float,
        precision: Precision,
        group: ProcessGroup = ALONE,
    ) -> None:
        self.objective = objective
        self._group = group
        self._spread = DistributedDataParallel(objective) if group.size > 1 else None
        self.parameters = list(objective.parameters())
        self.optimiser = torch.optim.Adam(self.parameters, lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)
        self._schedule = schedule
        self._clip = clip
        self._precision: Precision = precision

    def update(self, step: int, batches: Sequence[Batch]) -> Update:
        """Make update number `step` (from 1) with the gradient of the mean loss a token over all batches together.

        The batches are those of all processes; each computes its share of them.

        Raises:
            HeadscopeError: loss or gradient is not finite; the weights are as before.
        """
        device, size = self.parameters[0].device, self._group.size
        tokens = sum(batch.target_tokens for batch in batches)
        loss = nll = 0.0
        for batch in batches:
            with self._spread.no_sync() if self._spread and batch is not batches[-1] else nullcontext():
                with autocast(device, self._precision):
                    found = (self._spread or self.objective)(self._group.share(batch).to(device))
                # The gradient becomes the mean over the processes, and is to be their sum.
                (found.smoothed / (tokens / size)).backward()
            loss += found.smoothed.item()
            nll += found.nll.item()
        loss, nll = self._group.sum(loss, nll)
        gradients = [p.grad for p in self.parameters if p.grad is not None]
        norm = nn.utils.get_total_norm(gradients)
        length = float(norm)
        if not math.isfinite(loss) or not math.isfinite(length):
            raise HeadscopeError(
                f"update {step}: the loss or its gradient is not finite; the training has diverged: choose a lower "
                "learning rate, a longer warm-up, clipping, or fp32"
            )
        if self._clip:
            nn.utils.clip_grads_with_norm_(self.parameters, self._clip, norm)
        rate = self._schedule(step)
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        self.optimiser.zero_grad()
        return Update(loss, nll, tokens, rate, length)
