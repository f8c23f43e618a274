"""What the search page shows beyond the sentence, as a value, and its form in the address: pure, re-validated."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from headscope.app.view.codec import PageState, Part, Word, flag, number, one_of, whole
from headscope.app.wire.beam_tree import Place
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints, Prefix
from headscope.model.search.limits import (
    ALPHAS,
    PAGE_BEAMS,
    PAGE_LENGTHS,
    PAGE_SAMPLES,
    SEEDS,
    TEMPERATURES,
    TOP_K,
    TOP_P,
)
from headscope.model.search.penalty import PENALTY_KINDS, PenaltyKind
from headscope.model.search.settings import Sampling
from headscope.model.text.blank import is_blank

MOST_BRANCHES = 4
"""Side by side; more could not be read."""
MOST_STEPS = 10_000
MOST_WORDS, MOST_LETTERS = 8, 80
"""Words that must or must not appear, and characters of each."""
WORD_BREAK = "|"
"""Between words in the address; none of them has it."""

Method = Literal["search", "sample"]
METHODS: tuple[Method, ...] = ("search", "sample")
Modes = Literal["none", "exact", "mbr"]
MODES: tuple[Modes, ...] = ("none", "exact", "mbr")
Likeness = Literal["chrf", "bleu"]
LIKENESSES: tuple[Likeness, ...] = ("chrf", "bleu")


def spell_path(path: Prefix) -> str:
    """Pieces as the address spells them: ids with points between them."""
    return ".".join(map(str, path))


def read_path(text: str) -> Prefix:
    """The pieces of `spell_path`.

    Raises:
        ValueError: there are none.
    """
    path = tuple(map(int, text.split(".", PAGE_LENGTHS[1])[: PAGE_LENGTHS[1]])) if text else ()
    if min(path, default=0) < 0:
        raise ValueError(text)
    return path


def spell_words(words: tuple[str, ...]) -> str:
    """Words as the address spells them."""
    return WORD_BREAK.join(words)


def read_words(text: str) -> tuple[str, ...]:
    """The words of `spell_words`, or of what a visitor has typed: without needless blanks, each once."""
    words = (" ".join(word.split())[:MOST_LETTERS].strip() for word in text.split(WORD_BREAK))
    return tuple(dict.fromkeys(word for word in words if not is_blank(word)))[:MOST_WORDS]


def _spell_branch(branch: Constraints) -> str:
    return "-".join(map(spell_path, (branch.prefix, *sorted(branch.forbidden))))


def _spell_branches(branches: tuple[Constraints, ...]) -> str:
    return ",".join(map(_spell_branch, branches))


def _branches(text: str) -> tuple[Constraints, ...]:
    return tuple(_branch(part) for part in text.split(",", MOST_BRANCHES)[:MOST_BRANCHES])


def _branch(text: str) -> Constraints:
    prefix, *forbidden = map(read_path, text.split("-"))
    try:
        return Constraints(prefix=prefix, forbidden=frozenset(forbidden))
    except HeadscopeError as error:
        raise ValueError(text) from error


def _spell_place(place: Place) -> str:
    return f"{place.lane}.{place.step + 1}.{place.index + 1}"


def _place(text: str) -> Place:
    lane, step, index = text.split(".")
    if lane not in ("a", "b", *map(str, range(1, MOST_BRANCHES + 1))):
        raise ValueError(text)
    if not (0 < int(step) <= MOST_STEPS and 0 < int(index) <= MOST_STEPS):
        raise ValueError(text)
    return Place(lane, int(step) - 1, int(index) - 1)


@dataclass(frozen=True, slots=True)
class Other(PageState):
    """Settings B: another search of the same sentence, or samples of its translations."""

    method: Annotated[Method, one_of(METHODS)] = "search"
    beam: Annotated[int, whole(*PAGE_BEAMS)] = 1
    length_penalty: Annotated[float, number(*ALPHAS)] = 0.6
    kind: Annotated[PenaltyKind | None, one_of(PENALTY_KINDS)] = None
    """None: the checkpoint's own."""
    longest: Annotated[int | None, whole(*PAGE_LENGTHS)] = None
    """Pieces of a translation at most; None: 50 more than the source has."""
    n_best: Annotated[int, whole(*PAGE_BEAMS)] = 1
    samples: Annotated[int, whole(*PAGE_SAMPLES)] = 8
    temperature: Annotated[float, number(*TEMPERATURES)] = 1.0
    top_k: Annotated[int | None, whole(*TOP_K)] = None
    top_p: Annotated[float, number(*TOP_P)] = 1.0
    seed: Annotated[int, whole(*SEEDS)] = 0
    must_contain: Annotated[tuple[str, ...], Word(read_words, spell_words, name="must")] = ()
    """Words; samples cannot be made to contain any."""
    must_not_contain: Annotated[tuple[str, ...], Word(read_words, spell_words, name="must_not")] = ()

    @property
    def sampling(self) -> Sampling | None:
        """How translations are drawn; None: they are searched."""
        if self.method == "search":
            return None
        return Sampling(
            count=self.samples, temperature=self.temperature, top_k=self.top_k, top_p=self.top_p, seed=self.seed
        )

    def settled(self) -> "Other":
        """No more translations than the beam has."""
        return replace(self, n_best=min(self.n_best, self.beam))


@dataclass(frozen=True, slots=True)
class SearchView(PageState):
    """Everything that decides what the search page shows, but for sentence, beam and length penalty."""

    kind: Annotated[PenaltyKind | None, one_of(PENALTY_KINDS, name="penalty_kind")] = None
    """Of settings A, as `longest` and `n_best` are; see `Other`. The View has a kind too, of attention."""
    longest: Annotated[int | None, whole(*PAGE_LENGTHS)] = None
    n_best: Annotated[int, whole(*PAGE_BEAMS)] = 1
    must_contain: Annotated[tuple[str, ...], Word(read_words, spell_words, name="must")] = ()
    must_not_contain: Annotated[tuple[str, ...], Word(read_words, spell_words, name="must_not")] = ()
    other: Annotated[Other | None, Part(Other, prefix="b.", mark="b")] = None
    """Settings B; None: they are not compared."""
    branches: Annotated[tuple[Constraints, ...], Word(_branches, _spell_branches)] = ()
    """Searches with settings A that were told what to write, or what not."""
    node: Annotated[Place | None, Word(_place, _spell_place)] = None
    """The candidate that is selected; None: the first one of the winner."""
    pruned: Annotated[bool, flag()] = False
    """Whether the tree shows candidates that were pruned or excluded; else it says how many there are."""
    mode: Annotated[Modes, one_of(MODES)] = "none"
    """What stands beside beam search: the most probable translation, or the most typical sample."""
    likeness: Annotated[Likeness, one_of(LIKENESSES)] = "chrf"
    """What makes samples alike."""

    def anew(self) -> "SearchView":
        """The same for another sentence, where no node and no branch means anything."""
        return replace(self, branches=(), node=None)
