"""What the search page shows beyond the sentence, as a value, and its form in the address: pure, re-validated.

It is one field of the View. Only what differs from the default stands in the address: other pages know nothing of it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from headscope.model.errors import HeadscopeError
from headscope.model.search import limits
from headscope.model.search.constraints import Constraints, Path
from headscope.model.search.penalty import PENALTY_KINDS, PenaltyKind
from headscope.model.search.settings import Sampling

MOST_BRANCHES = 4
"""Side by side; more could not be read."""
MOST_STEPS = 10_000

Method = Literal["search", "sample"]
METHODS: tuple[Method, ...] = ("search", "sample")
Modes = Literal["none", "exact", "mbr"]
MODES: tuple[Modes, ...] = ("none", "exact", "mbr")
Likeness = Literal["chrf", "bleu"]
LIKENESSES: tuple[Likeness, ...] = ("chrf", "bleu")


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate in one of the searches that stand side by side."""

    lane: str
    """`a`, `b`, or the number of a branch, from 1."""
    step: int
    index: int
    """Among the candidates of its step."""


@dataclass(frozen=True, slots=True)
class Other:
    """Settings B: another search of the same sentence, or samples of its translations."""

    method: Method = "search"
    beam: int = 1
    length_penalty: float = 0.6
    kind: PenaltyKind | None = None
    """None: the checkpoint's own."""
    longest: int | None = None
    """Pieces of a translation at most; None: 50 more than the source has."""
    n_best: int = 1
    samples: int = 8
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float = 1.0
    seed: int = 0

    @property
    def sampling(self) -> Sampling | None:
        """How translations are drawn; None: they are searched."""
        if self.method == "search":
            return None
        return Sampling(
            count=self.samples, temperature=self.temperature, top_k=self.top_k, top_p=self.top_p, seed=self.seed
        )


@dataclass(frozen=True, slots=True)
class SearchView:
    """Everything that decides what the search page shows, but for sentence, beam and length penalty."""

    kind: PenaltyKind | None = None
    """Of settings A, as `longest` and `n_best` are; see `Other`."""
    longest: int | None = None
    n_best: int = 1
    other: Other | None = None
    """Settings B; None: they are not compared."""
    branches: tuple[Constraints, ...] = ()
    """Searches with settings A that were told what to write, or what not."""
    node: Place | None = None
    """The candidate that is selected; None: the first one of the winner."""
    pruned: bool = True
    """Whether the tree shows candidates that were pruned or excluded."""
    mode: Modes = "none"
    """What stands beside beam search: the most probable translation, or the most typical sample."""
    likeness: Likeness = "chrf"
    """What makes samples alike."""

    def anew(self) -> "SearchView":
        """The same for another sentence, where no node and no branch means anything."""
        return replace(self, branches=(), node=None)


def to_query(view: SearchView) -> dict[str, str]:
    """What differs from the default, as query parameters."""
    query = _differences(view, SearchView(), _OWN)
    if view.other is not None:
        query |= {"b": "1"} | {f"b.{name}": text for name, text in _differences(view.other, Other(), _OTHER).items()}
    if view.branches:
        query["branches"] = ",".join(map(_spell_branch, view.branches))
    if view.node is not None:
        query["node"] = f"{view.node.lane}.{view.node.step + 1}.{view.node.index + 1}"
    return query


def from_query(params: Mapping[str, str]) -> SearchView:
    """The view that query parameters ask for; what is missing or makes no sense is the default."""
    other = None
    if params.get("b") == "1":
        theirs = {name.removeprefix("b."): text for name, text in params.items() if name.startswith("b.")}
        other = Other(**_read(theirs, _OTHER))
        other = replace(other, n_best=min(other.n_best, other.beam))
    own = _read(params, _OWN | {"branches": _branches, "node": _place})
    return SearchView(other=other, **own)


def _whole(least: int, most: int) -> Callable[[str], int]:
    return lambda text: max(least, min(int(text), most))


def _number(least: float, most: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        if not math.isfinite(value := float(text)):
            raise ValueError(text)
        return max(least, min(value, most))

    return parse


def _one_of(choices: tuple[str, ...]) -> Callable[[str], str]:
    return lambda text: choices[choices.index(text)]


_COMMON: Mapping[str, Callable[[str], Any]] = {
    "kind": _one_of(PENALTY_KINDS),
    "longest": _whole(*limits.PAGE_LENGTHS),
    "n_best": _whole(*limits.PAGE_BEAMS),
}
_OTHER = {
    "method": _one_of(METHODS),
    "beam": _whole(*limits.PAGE_BEAMS),
    "length_penalty": _number(*limits.ALPHAS),
    **_COMMON,
    "samples": _whole(*limits.PAGE_SAMPLES),
    "temperature": _number(*limits.TEMPERATURES),
    "top_k": _whole(*limits.TOP_K),
    "top_p": _number(*limits.TOP_P),
    "seed": _whole(*limits.SEEDS),
}
_OWN = {
    "penalty_kind": _COMMON["kind"],
    "longest": _COMMON["longest"],
    "n_best": _COMMON["n_best"],
    "pruned": lambda text: {"0": False, "1": True}[text],
    "mode": _one_of(MODES),
    "likeness": _one_of(LIKENESSES),
}
"""How the address spells fields; `kind` alone has another name there, for the View has a kind of attention too."""
_FIELDS = {"penalty_kind": "kind"}


def _differences(value: object, default: object, names: Mapping[str, Callable]) -> dict[str, str]:
    found = {name: getattr(value, _FIELDS.get(name, name)) for name in names}
    usual = {name: getattr(default, _FIELDS.get(name, name)) for name in names}
    return {name: _spell(each) for name, each in found.items() if each != usual[name]}


def _spell(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _read(params: Mapping[str, str], parsers: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
    found = {}
    for name, parse in parsers.items():
        try:
            found[_FIELDS.get(name, name)] = parse(params[name])
        except (KeyError, ValueError):
            continue
    return found


def spell_path(path: Path) -> str:
    """Pieces as the address spells them: ids with points between them."""
    return ".".join(map(str, path))


def read_path(text: str) -> Path:
    """The pieces of `spell_path`.

    Raises:
        ValueError: there are none.
    """
    path = tuple(map(int, text.split(".", limits.PAGE_LENGTHS[1])[: limits.PAGE_LENGTHS[1]])) if text else ()
    if min(path, default=0) < 0:
        raise ValueError(text)
    return path


def _spell_branch(branch: Constraints) -> str:
    return "-".join(map(spell_path, (branch.prefix, *sorted(branch.forbidden))))


def _branches(text: str) -> tuple[Constraints, ...]:
    return tuple(_branch(part) for part in text.split(",", MOST_BRANCHES)[:MOST_BRANCHES])


def _branch(text: str) -> Constraints:
    prefix, *forbidden = map(read_path, text.split("-"))
    try:
        return Constraints(prefix=prefix, forbidden=frozenset(forbidden))
    except HeadscopeError as error:
        raise ValueError(text) from error


def _place(text: str) -> Place:
    lane, step, index = text.split(".")
    if lane not in ("a", "b", *map(str, range(1, MOST_BRANCHES + 1))):
        raise ValueError(text)
    if not (0 < int(step) <= MOST_STEPS and 0 < int(index) <= MOST_STEPS):
        raise ValueError(text)
    return Place(lane, int(step) - 1, int(index) - 1)
