"""Length penalties: how hypotheses of different lengths are compared.

A length counts the pieces of a hypothesis with its end of sentence, without the start symbol.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from headscope.model.search.limits import ALPHAS, require

PenaltyKind = Literal["gnmt", "power"]
PENALTY_KINDS: tuple[PenaltyKind, ...] = get_args(PenaltyKind)


@dataclass(frozen=True, slots=True)
class LengthPenalty:
    """score = total log-probability / normaliser(length).

    `gnmt`: ((5 + length) / 6)^alpha, Wu et al. 2016, equation 14, what "Attention Is All You Need" uses with alpha 0.6.
    `power`: length^alpha, what fairseq, Marian, Hugging Face and CTranslate2 use; its alpha is another number.
    Alpha 0 compares plain log-probabilities; a negative one prefers short hypotheses further.
    """

    alpha: float = 0.6
    kind: PenaltyKind = "gnmt"

    def __post_init__(self) -> None:
        require("length penalty", self.alpha, ALPHAS)

    def __str__(self) -> str:
        """Its alpha, and its kind where that is not the paper's."""
        return f"{self.alpha:g}" + ("" if self.kind == "gnmt" else f" ({self.kind})")

    def normaliser(self, length: int) -> float:
        """What the log-probability of a hypothesis of that many pieces is divided by."""
        base = (5 + length) / 6 if self.kind == "gnmt" else length
        return base**self.alpha

    def score(self, total: float, length: int) -> float:
        """What hypotheses are ranked by."""
        return total / self.normaliser(length)

    def best(self, total: float, shortest: int, longest: int) -> float:
        """The highest score a hypothesis of log-probability `total` can reach when it goes on and finishes at a length
        in that range.

        Log-probabilities only fall and the normaliser is monotone, so one of the two ends bounds all between.
        """
        return max(self.score(total, shortest), self.score(total, longest))
