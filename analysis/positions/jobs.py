"""The trainings of the experiment with positions beyond the trained length: which there are, and how each is trained.

No torch here.

Every model is `tiny` (width 128, 4 + 4 layers). `capped` models see pairs of at most `CAP` pieces on either side; the
control sees all lengths, on as many tokens an update and as many updates, so that what the two differ in is length and
not the amount of text. Models of one seed begin with the same values of all that they share, and those of one cap see
the same batches in the same order with the same dropout: they are twins that differ in their positions alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from headscope.analysis.experiments.runner import RESULTS
from headscope.model.card import SHIPPED
from headscope.model.config import Positions
from headscope.model.training.recipe import Recipe, load_recipe

KEPT = SHIPPED / "positions-experiment" / RESULTS
"""The results that ship."""
CAP = 8
"""Pieces of either side, end of sentence counted: a quarter of Tatoeba's pairs, with thousands of test pairs beyond."""
TABLE = 256
"""Rows of a learned table. Of a capped one all but the first `CAP` stay as they were drawn."""
COMPARED: tuple[Positions, ...] = ("sinusoidal", "learned")
FURTHER: tuple[Positions, ...] = tuple(scheme for scheme in get_args(Positions) if scheme not in COMPARED)
"""Schemes that have one capped run each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What every training may spend.

    The defaults take about nine minutes on one free core of an AMD EPYC with bf16 (13,000 target tokens a second): 7
    million target tokens, at a peak learning rate of 0.0028. The development loss of a capped model then falls by about
    0.03 nats more in 250 updates, from 4.2 after the first 250 to 1.1; its weights are the mean of the last few.
    """

    updates: int = 3500
    batch_tokens: int = 2048
    """Padded tokens an update, on the longer side."""
    warmup: int = 1000
    validate_every: int = 250


@dataclass(frozen=True, slots=True)
class Job:
    """One training with its evaluation."""

    positions: Positions
    cap: int | None
    """Pieces of the training pairs at most; None: the control over all lengths."""
    seed: int

    @property
    def name(self) -> str:
        """Of its folder and its result."""
        return f"{self.positions}-{'full' if self.cap is None else f'cap{self.cap}'}-seed{self.seed}"

    def recipe(self, budget: Budget, *, threads: int) -> Recipe:
        """How it is trained. Weights are chosen, as always, by the loss on development lines."""
        changes = {
            "steps": budget.updates,
            "batch_tokens": budget.batch_tokens,
            "schedule.warmup": budget.warmup,
            "validate_every": budget.validate_every,
            "log_every": 50,
            "snapshots": 2,
            "dev_lines": 0,
            "seed": self.seed,
            "threads": threads,
            "model.positions": self.positions,
            "model.position_table": TABLE,
        }
        if self.cap is not None:
            changes["max_pieces"] = self.cap
        return load_recipe("tiny", [f"{key}={value}" for key, value in changes.items()])


def job_list(seeds: int, schemes: Sequence[Positions] = FURTHER) -> tuple[Job, ...]:
    """All jobs, in an order of which every beginning is of use: whole seeds first, then the further schemes."""
    return tuple(_jobs(seeds, schemes))


def _jobs(seeds: int, schemes: Sequence[Positions]) -> Iterator[Job]:
    for seed in range(1, seeds + 1):
        for cap in (CAP, None):
            for positions in COMPARED:
                yield Job(positions, cap, seed)
    for positions in schemes:
        yield Job(positions, CAP, 1)
