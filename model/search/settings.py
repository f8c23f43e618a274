"""How to search: settings, what may differ from them, and how that is said. No torch here."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import BEAMS, LENGTHS, SAMPLES, SEEDS, TEMPERATURES, TOP_K, TOP_P, require
from headscope.model.search.penalty import LengthPenalty, PenaltyKind
from headscope.model.text.blank import is_blank

Finish = Literal["any", "top"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How to search. The defaults are the paper's; those of a checkpoint are its card's.

    Whoever changes some of them says so with `override`, and whoever shows them says them with `searched`.
    """

    beam: int = 4
    """Hypotheses kept a step; 1 is greedy search: the most probable piece each time, until the end of sentence."""
    n_best: int = 1
    penalty: LengthPenalty = field(default_factory=LengthPenalty)
    extra_length: int = 50
    """A translation may have this many pieces more than its source, end of sentence counted in the translation."""
    longest: int | None = None
    """Nor may it have more than so many in all."""
    finish: Finish = "any"
    """Which of the 2·beam best candidates may end: any of them (tensor2tensor), or the first `beam` (fairseq, Hugging
    Face, CTranslate2), where the others are pruned."""
    must_contain: tuple[str, ...] = ()
    """Words that every translation has, wherever; `model.search.words` says what counts as having one."""
    must_not_contain: tuple[str, ...] = ()
    """Words that no translation has."""

    def __post_init__(self) -> None:
        require("beam", self.beam, BEAMS)
        require("n-best", self.n_best, BEAMS)
        require("extra length", self.extra_length, (0, LENGTHS[1]))
        if self.longest is not None:
            require("longest", self.longest, LENGTHS)
        if self.n_best > self.beam:
            raise HeadscopeError(
                f"n-best {self.n_best} needs a beam of at least as many, not {self.beam}: raise it or ask for fewer"
            )
        for word in self.must_contain + self.must_not_contain:
            if is_blank(word):
                raise HeadscopeError("a word that must or must not appear is blank: write one, or leave it out")

    def within(self, longest: int) -> "SearchSettings":
        """The same, for translations of at most so many pieces, however long the source is."""
        return replace(self, longest=longest, extra_length=longest)

    def override(
        self,
        *,
        beam: int | None = None,
        alpha: float | None = None,
        kind: PenaltyKind | None = None,
        n_best: int | None = None,
        longest: int | None = None,
        must_contain: Sequence[str] = (),
        must_not_contain: Sequence[str] = (),
    ) -> "SearchSettings":
        """The same, but for what is asked for; None: as it is.

        Args:
            alpha, kind: of the length penalty.
            longest: pieces of a translation at most, however long the source is.
            must_contain, must_not_contain: words, beside those that are asked for already.

        Raises:
            HeadscopeError: something is out of range, or more hypotheses are asked for than the beam keeps.
        """
        changed = replace(
            self,
            beam=self.beam if beam is None else beam,
            n_best=self.n_best if n_best is None else n_best,
            penalty=LengthPenalty(self.penalty.alpha if alpha is None else alpha, kind or self.penalty.kind),
            must_contain=tuple(dict.fromkeys((*self.must_contain, *must_contain))),
            must_not_contain=tuple(dict.fromkeys((*self.must_not_contain, *must_not_contain))),
        )
        return changed if longest is None else changed.within(longest)


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
        require("samples", self.count, SAMPLES)
        require("temperature", self.temperature, TEMPERATURES, ", or beam 1 for the best piece")
        require("top-p", self.top_p, TOP_P)
        require("seed", self.seed, SEEDS)
        if self.top_k is not None:
            require("top-k", self.top_k, TOP_K)


def searched(settings: SearchSettings, sampling: Sampling | None = None) -> str:
    """How translations were found, in words: by a search with these settings, or by drawing them."""
    return _found(settings, sampling) + "".join(
        f", {which} {quoted(words)}"
        for which, words in (("with", settings.must_contain), ("without", settings.must_not_contain))
        if words
    )


def nothing_found(settings: SearchSettings) -> str:
    """Why there is no translation at all."""
    parts = [f"that has {quoted(settings.must_contain)}"] if settings.must_contain else []
    parts += [f"without {quoted(settings.must_not_contain)}"] if settings.must_not_contain else []
    if not parts:
        return "what is prescribed and forbidden leaves no translation"
    return f"no translation was found {' and '.join(parts)}: allow longer ones, or ask for fewer words"


def quoted(words: Sequence[str]) -> str:
    """Words in a sentence."""
    return ", ".join(f"'{word}'" for word in words)


def _found(settings: SearchSettings, sampling: Sampling | None) -> str:
    if sampling is None:
        words = f"beam {settings.beam}, length penalty {settings.penalty}"
        return words if settings.n_best == 1 else f"{words}, {settings.n_best} best"
    words = f"{sampling.count} samples, temperature {sampling.temperature:g}, seed {sampling.seed}"
    words += f", top-k {sampling.top_k}" if sampling.top_k else ""
    words += f", top-p {sampling.top_p:g}" if sampling.top_p < 1 else ""
    return f"{words}, length penalty {settings.penalty}"
