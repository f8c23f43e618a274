"""Which heads carried a decision: attention × gradient of every head, beside what is lost when the head is removed.

`O` numbers that are explained, `R` rows of a batch, `H` heads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from headscope.analysis.attribution.attention_gradients import attention_gradients
from headscope.analysis.attribution.attribute import asked_of, predicted
from headscope.analysis.attribution.explained import Explained
from headscope.analysis.attribution.gradients import batch_rows
from headscope.analysis.attribution.importance import HeadGates
from headscope.analysis.attribution.method import Question
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.capture.forced import to_numpy
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.heads import Head, all_heads, site_of
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.network.finite import require_finite
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class HeadAttribution(Table):
    """What every head of a model did for each target token. Positive: the head speaks for what is explained."""

    heads: tuple[Head, ...]
    predicts: Tokens
    explained: str
    values: np.ndarray
    """[O]: what is explained."""
    attention_x_gradient: np.ndarray
    """[heads, O]: weight times gradient, summed over the head's map: the derivative of the number with respect to a
    gate on the head's output, and so, to first order, what is lost without the head."""
    removal: np.ndarray
    """[heads, O]: what is lost without the head: the number minus that with the head's output set to zero."""

    def of(self, row: int) -> Mapping[Head, tuple[float, float]]:
        """Attention × gradient and removal of every head, for one target row."""
        both = zip(self.attention_x_gradient[:, row].tolist(), self.removal[:, row].tolist(), strict=True)
        return dict(zip(self.heads, both, strict=True))

    def to_pandas(self) -> "DataFrame":
        """One row a head and a target row: kind, layer, head, row, predicts, attention_x_gradient, removal."""
        import pandas as pd

        head, row = (index.ravel() for index in np.indices(self.removal.shape))
        table = pd.DataFrame([self.heads[index] for index in head], columns=list(Head._fields))
        return table.assign(
            row=row,
            predicts=[self.predicts.tokens[index].piece for index in row],
            attention_x_gradient=self.attention_x_gradient.ravel(),
            removal=self.removal.ravel(),
        )


def attention_by_head(
    translator: Translator, pair: SentencePair, *, explained: Explained = LOG_PROB, progress: Progress | None = None
) -> HeadAttribution:
    """Which heads made the model say each target token.

    Args:
        explained: what they are to have done it to; of a contrast, what speaks for the one is positive.
        progress: told how many heads have been removed.

    Raises:
        HeadscopeError: what is explained is a difference of checkpoints, whose heads are not the same; or a number is
            not finite.
        Cancelled: `progress` wants it to stop.
    """
    if explained.minus is not None and explained.minus[0] is not translator:
        raise HeadscopeError("two checkpoints have no heads in common: explain what one of them says")
    progress = progress or Silent()
    parts = [_of(asked_of(translator, pair, explained, progress=progress))]
    if explained.minus is not None:
        parts.append(_of(asked_of(*explained.minus, explained, progress=progress)))
    slopes, lost, values = (found[0] if len(found) == 1 else found[0] - found[1] for found in zip(*parts, strict=True))
    for numbers in (slopes, lost):
        require_finite(numbers, translator.model, "attributions to heads")
    return HeadAttribution(
        heads=all_heads(translator.model),
        predicts=predicted(translator, pair, explained),
        explained=explained.name,
        values=to_numpy(values),
        attention_x_gradient=to_numpy(slopes),
        removal=to_numpy(lost),
    )


def _of(asked: Question) -> tuple[Float[Tensor, "heads O"], Float[Tensor, "heads O"], Float[Tensor, " O"]]:
    model = asked.translator.model
    weighted, values = attention_gradients(asked)
    by_site = {site: part.sum((2, 3)) for site, part in weighted.items()}
    slopes = torch.stack([by_site[site_of(model, head)][:, head.head] for head in all_heads(model)])
    return slopes, _lost(asked), values


@torch.no_grad()
def _lost(asked: Question) -> Float[Tensor, "heads O"]:
    """Every head's output set to zero, each in its own row of a batch."""
    inputs, model = asked.inputs, asked.translator.model
    heads, size, lost = all_heads(model), batch_rows(inputs), []
    for first in range(0, len(heads), size):
        asked.progress.update(first, len(heads))
        some = heads[first : first + size]
        # A first row in which nothing is removed, for a difference is to be one of equal passes.
        gates = {
            site_of(model, head): inputs.source.new_ones(1 + len(some), site_of(model, head).heads) for head in some
        }
        for row, head in enumerate(some, 1):
            gates[site_of(model, head)][row, head.head] = 0
        both = (part.expand(1 + len(some), -1, -1) for part in (inputs.source, inputs.target))
        states = inputs.states(*both, probe=HeadGates(gates))
        values = torch.stack([asked.explained.of(inputs, states, output) for output in asked.outputs], dim=1)
        lost.append(values[:1] - values[1:])
    asked.progress.update(len(heads), len(heads))
    return torch.cat(lost)
