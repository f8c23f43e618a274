"""How to search. No torch here."""

from dataclasses import dataclass, field, replace
from typing import Literal

from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How to search. The defaults are the paper's."""

    beam: int = 4
    """Hypotheses kept a step; 1 is greedy search: the most probable piece each time, until the end of sentence."""
    n_best: int = 1
    penalty: LengthPenalty = field(default_factory=LengthPenalty)
    extra_length: int = 50
    """A translation may have this many pieces more than its source, end of sentence counted in the translation."""
    longest: int | None = None
    """Nor may it have more than so many in all."""
    finish: Literal["any", "top"] = "any"
    """Which of the 2·beam best candidates may end: any of them (tensor2tensor), or the first `beam` (fairseq, Hugging
    Face, CTranslate2), where the others are pruned."""

    def __post_init__(self) -> None:
        for name, value, least in (
            ("beam", self.beam, 1),
            ("n-best", self.n_best, 1),
            ("extra length", self.extra_length, 0),
            ("longest", self.longest, 1),
        ):
            if value is not None and value < least:
                raise HeadscopeError(f"{name} {value} is too small: choose at least {least}")
        if self.n_best > self.beam:
            raise HeadscopeError(
                f"n-best {self.n_best} needs a beam of at least as many, not {self.beam}: raise it or ask for fewer"
            )

    def within(self, longest: int) -> "SearchSettings":
        """The same, for translations of at most so many pieces, however long the source is."""
        return replace(self, longest=longest, extra_length=longest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How to draw translations at random. The defaults draw from the model's own distribution."""

    count: int = 1
    """Translations that are drawn; the same one may come several times."""
    temperature: float = 1.0
    """Log-probabilities are divided by it: below 1 probable pieces are drawn more often than the model says."""
    top_k: int | None = None
    """Only so many of the most probable pieces may be drawn."""
    top_p: float = 1.0
    """Only the fewest pieces that have this probability together may be drawn (Holtzman et al. 2020), after top-k."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.count < 1:
            raise HeadscopeError(f"{self.count} samples: draw at least 1")
        if not 0.01 <= self.temperature <= 100:
            raise HeadscopeError(
                f"temperature {self.temperature:g}: choose a number from 0.01 to 100, or beam 1 for the best piece"
            )
        if self.top_k is not None and self.top_k < 1:
            raise HeadscopeError(f"top-k {self.top_k}: leave at least 1 piece")
        if not 0 < self.top_p <= 1:
            raise HeadscopeError(f"top-p {self.top_p:g}: choose a probability above 0 and at most 1")
