"""Several processes that train one model, as torchrun starts them: gloo on CPUs, NCCL on CUDA.

Every process makes the same batches, counts the same, and computes its share of each batch; sums go over all processes,
so their number changes neither the objective nor the figures. The first process alone touches the run's folder, which
all of them have to see.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist

from headscope.model.data.batching import Batch
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import choose_device

T = TypeVar("T")

PATIENCE = timedelta(days=1)
"""The others wait while the first validates. When one dies, torchrun ends them all."""


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """The processes of a training. All call the same methods in the same order."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the first process, which writes, validates and reports."""
        return self.rank == 0

    def from_first(self, work: Callable[[], T]) -> T:
        """What `work` gives, or raises, in the first process; the others do not do it."""
        if self.size == 1:
            return work()
        outcome: list[Any] = [None, None]
        if self.leads:
            outcome = _outcome(work)
        dist.broadcast_object_list(outcome, device=torch.device("cpu"))
        return _open(outcome)

    def agreed(self, work: Callable[[], T]) -> T:
        """What `work` gives here; raises in all processes if it raises in any."""
        if self.size == 1:
            return work()
        here = _outcome(work)
        errors: list[Exception | None] = [None] * self.size
        dist.all_gather_object(errors, here[1])
        error = here[1] or next(filter(None, errors), None)
        return _open([here[0], error])

    def sum(self, *values: float) -> list[float]:
        """Each value summed over the processes."""
        if self.size == 1:
            return list(values)
        total = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(total)
        return total.tolist()

    def any(self, here: bool) -> bool:
        """Whether it is so in any process."""
        return self.sum(float(here)) != [0.0]

    def share(self, batch: Batch) -> Batch:
        """The rows of a batch that are this process's to compute: every `size`-th. There may be none."""
        if self.size == 1:
            return batch
        mine = slice(self.rank, None, self.size)
        source_lengths, target_lengths = batch.source_lengths[mine], batch.target_lengths[mine]
        return Batch(
            source=batch.source[mine],
            target_in=batch.target_in[mine],
            target_out=batch.target_out[mine],
            source_lengths=source_lengths,
            target_lengths=target_lengths,
            source_tokens=int(source_lengths.sum()),
            target_tokens=int(target_lengths.sum()),
        )

    def seed(self, seed: int, step: int) -> None:
        """Give every process a stream of random numbers of its own for an update, which a resumed run finds again.

        A process on its own goes on with the generator it has, whose state is saved.
        """
        if self.size > 1:
            (mixed,) = np.random.SeedSequence([seed, step, self.rank]).generate_state(1, np.uint64).tolist()
            torch.manual_seed(mixed)


ALONE = ProcessGroup()


@contextmanager
def joined(device: str) -> Iterator[tuple[ProcessGroup, torch.device]]:
    """The processes that torchrun has started, or this one alone, and the device of this one.

    A process group that the program has made already is used as it is, and left.

    Raises:
        HeadscopeError: the device is not there, or all processes would share it; or the environment is not torchrun's.
    """
    chosen = choose_device(device)
    started = dist.is_initialized()
    size = dist.get_world_size() if started else _world_size()
    if size == 1 and not started:
        yield ALONE, chosen
        return
    if chosen.type == "cuda":
        if chosen.index is not None:
            raise HeadscopeError(
                f"device '{device}' is one for all {size} processes: choose cuda, and each takes its own"
            )
        chosen = choose_device(f"cuda:{_whole('LOCAL_RANK')}")
        torch.cuda.set_device(chosen)
    if not started:
        # Beside NCCL, gloo carries what is on the CPU: figures, outcomes, the wish to stop.
        try:
            dist.init_process_group("cpu:gloo,cuda:nccl" if chosen.type == "cuda" else "gloo", timeout=PATIENCE)
        except (ValueError, dist.DistError) as error:
            reason = str(error).splitlines()[0]
            raise HeadscopeError(f"the {size} processes cannot meet ({reason}): start them with torchrun") from error
    # The group stays until the process ends: taking a gloo group down can abort the process while threads of it run.
    yield ProcessGroup(dist.get_rank(), dist.get_world_size()), chosen


def first_process() -> bool:
    """Whether this is the first of the processes that torchrun has started, or the only one.

    Raises:
        HeadscopeError: the environment is not torchrun's.
    """
    return _world_size() == 1 or _whole("RANK") == 0


def _world_size() -> int:
    """How many processes torchrun has started; 1: it has not."""
    if not os.environ.get("WORLD_SIZE"):
        return 1
    size = _whole("WORLD_SIZE", least=1)
    for name in ("RANK", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT") if size > 1 else ():
        if not os.environ.get(name):
            raise HeadscopeError(f"WORLD_SIZE is {size} but {name} is not set: start with torchrun, or unset it")
    return size


def _whole(name: str, least: int = 0) -> int:
    """A variable that torchrun sets to a whole number."""
    text = os.environ.get(name, "")
    if not re.fullmatch("[0-9]{1,6}", text) or int(text) < least:
        raise HeadscopeError(f"{name} is '{text}', no number from {least} on: start with torchrun, or unset WORLD_SIZE")
    return int(text)


def _outcome(work: Callable[[], Any]) -> list[Any]:
    """What it gave, and what it raised."""
    try:
        return [work(), None]
    except Exception as error:
        return [None, error]


def _open(outcome: list[Any]) -> Any:
    result, error = outcome
    if error is not None:
        raise error
    return result
