"""First-layer scores, term by term, and the share of each term in how they vary. No torch here.

`H` heads, `Q` queries, `K` keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import Tokens

Stack = Literal["encoder", "decoder"]
PARTS = ("content", "position", "constant")
"""What enters the first layer, and the bias. Content: the scaled embedding of the piece. Position: its row of the
table, less the mean row. Constant: the mean row of the table, and the bias of the projection."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTerms:
    """The scores of all heads of a first self-attention layer in one sentence, before the mask, term by term."""

    queries: Tokens
    """The keys are the same tokens."""
    terms: np.ndarray
    """[H, 3, 3, Q, K]: part of the query by part of the key, as in `PARTS`; they add up to the scaled score."""
    allowed: np.ndarray
    """[Q, K]: which keys each query may look at."""

    @property
    def shares(self) -> np.ndarray:
        """[H, 3, 3]: of each term in how the scores vary over the keys; NaN for a head whose scores do not vary.

        A share is the covariance of the term with the score over the keys that a query may look at, over the variance
        of the score: the nine add up to 1, one is negative where the term works against the others, and those that are
        the same for all keys, which the softmax takes away, have none.
        """
        return _shares(*self.variances)

    @property
    def variances(self) -> tuple[np.ndarray, np.ndarray]:
        """Covariance of each term with the score [H, 3, 3], variance of the score [H]: over keys, summed over rows."""
        count = self.allowed.sum(-1, keepdims=True)

        def moved(values: np.ndarray) -> np.ndarray:
            inside = np.where(self.allowed, values, 0)
            return np.where(self.allowed, values - inside.sum(-1, keepdims=True) / count, 0)

        parts, score = moved(self.terms), moved(self.terms.sum((1, 2)))
        weighted = score / count
        return np.einsum("habqk,hqk->hab", parts, weighted), (score * weighted).sum((-1, -2))


@dataclass(frozen=True, slots=True, eq=False)
class CorpusShares:
    """What the scores of a first self-attention layer owe to each term, over many sentences."""

    share: np.ndarray
    """[H, 3, 3]: pooled."""
    deviation: np.ndarray
    """[H, 3, 3]: standard deviation over the sentences."""
    sentences: int


def pooled(sentences: Sequence[tuple[np.ndarray, np.ndarray]]) -> CorpusShares:
    """Shares over all rows of some sentences, from the `variances` of each."""
    covariance, variance = (np.stack(each) for each in zip(*sentences, strict=True))
    return CorpusShares(
        share=_shares(covariance.sum(0), variance.sum(0)),
        deviation=_shares(covariance, variance).std(0),
        sentences=len(sentences),
    )


def _shares(covariance: np.ndarray, variance: np.ndarray) -> np.ndarray:
    whole = np.broadcast_to(variance[..., None, None], covariance.shape)
    return np.divide(covariance, whole, out=np.full(covariance.shape, np.nan), where=whole > 0)
