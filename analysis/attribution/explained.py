"""What is explained: one number a target row, as a function of the row's logits.

`R` rows of a batch, `T` target rows, `V` target vocabulary.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.model.errors import HeadscopeError

Value = Callable[[Float[Tensor, "R V"], Int[Tensor, " T"], int], Float[Tensor, " R"]]
"""The number of one target row, from its logits in a batch of inputs, what all rows predict, and its index."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A number of each target row that attributions are of."""

    name: str
    meaning: str
    unit: str
    value: Value


def _logit(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
    return logits[:, predicts[row]]


def _log_prob(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
    return _logit(logits, predicts, row) - logits.logsumexp(-1)


def _entropy(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
    log_probs = logits.log_softmax(-1)
    return -(log_probs.exp() * log_probs).sum(-1)


LOG_PROB = Explained("log-probability", "log-probability of the piece", "nats", _log_prob)
LOGIT = Explained("logit", "logit of the piece, before the softmax", "logits", _logit)
ENTROPY = Explained("entropy", "entropy of the distribution over all pieces", "nats", _entropy)

EXPLAINED: Mapping[str, Explained] = MappingProxyType(
    {explained.name: explained for explained in (LOG_PROB, LOGIT, ENTROPY)}
)
"""What needs nothing but the row itself. `contrast` needs another piece as well."""


def contrast(others: Int[Tensor, " T"]) -> Explained:
    """Why this piece and not that one: the difference of their log-probabilities, which is that of their logits.

    Args:
        others: the piece that stands against each row's own.
    """

    def value(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
        return logits[:, predicts[row]] - logits[:, others[row]]

    return Explained("contrast", "log-probability of the piece minus that of another", "nats", value)


def second_best(logits: Float[Tensor, "T V"], predicts: Int[Tensor, " T"]) -> Int[Tensor, " T"]:
    """The most probable piece of each row other than its own."""
    return logits.scatter(-1, predicts[:, None], -torch.inf).argmax(-1)


def explained(name: str) -> Explained:
    """One of `EXPLAINED`.

    Raises:
        HeadscopeError: there is none of that name.
    """
    if name not in EXPLAINED:
        raise HeadscopeError(f"'{name}' cannot be explained: choose {', '.join(EXPLAINED)}")
    return EXPLAINED[name]
