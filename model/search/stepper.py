"""A model as a search sees it.

`N` sentences, `R` rows, `V` vocabulary.
"""

import copy
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.model.network.finite import require_finite
from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq


class ModelStepper:
    """Decodes with a cache, one piece a row at a time; starts with one row a sentence of `memory`."""

    def __init__(
        self,
        model: Seq2Seq,
        memory: Any,
        *,
        never: Sequence[int] = (),
        prefix: Sequence[int] = (),
        probe: Probe | None = None,
    ) -> None:
        """Pieces in `never` (padding, start) get no probability; the others keep theirs.

        The first pieces are those of `prefix`: each is certain in its turn, and costs nothing. `memory` is what the
        model's `encode` gives.
        """
        self._model = model
        self._probe = probe
        self._state = model.start(memory)
        self._prefix = prefix
        self._never = torch.tensor(list(never), dtype=torch.long, device=model.device)
        self._other = next(piece for piece in range(len(never) + 1) if piece not in never)

    def step(self, pieces: Int[Tensor, " R"]) -> Float[Tensor, "R V"]:
        """Log-probabilities of the piece that follows, in float32.

        Raises:
            HeadscopeError: a row has none that is finite: weights are damaged, or too large.
        """
        logits = self._model.step(pieces.to(self._model.device), self._state, probe=self._probe)
        log_probs = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
        log_probs.index_fill_(-1, self._never, -torch.inf)
        place = self._state.length - 1
        # One piece tells it as a rule, and costs nothing: what is no number leaves none in its row.
        if not log_probs[:, self._other].isfinite().all():
            require_finite(log_probs.amax(-1), self._model, f"log-probabilities of piece {place + 1} of a translation")
        if place < len(self._prefix):
            certain = torch.full_like(log_probs, -torch.inf)
            certain[:, self._prefix[place]] = 0.0
            return certain
        return log_probs

    def branch(self, rows: Int[Tensor, " r"]) -> "ModelStepper":
        """One that goes on with these rows of a single sentence; this one stays as it is."""
        other = copy.copy(self)
        other._state = self._state.branch()
        other.select(rows, None)
        return other

    def select(self, rows: Int[Tensor, " r"], sentences: Int[Tensor, " n"] | None) -> None:
        """Go on with these rows and sentences."""
        self._state.select(rows.to(self._model.device))
        if sentences is not None:
            self._state.keep_sentences(sentences.to(self._model.device))
