"""Heads and their names. No torch here.

Layer and head, query and key count from 0 in objects, in arrays, and in the JSON files that lie with a checkpoint.
Whoever reads a name, a table or a picture counts from 1: `str` gives the names of pages, captions and errors.
"""

from collections.abc import Iterable
from typing import NamedTuple

from headscope.model.errors import HeadscopeError
from headscope.model.sites import KINDS, Anatomy, AttentionKind, Site, layers_of, site_at


class Head(NamedTuple):
    """One head; layer and head count from 0."""

    kind: AttentionKind
    layer: int
    head: int

    def __str__(self) -> str:
        """As in "cross 3.1", counted from 1."""
        return f"{self.kind} {self.layer + 1}.{self.head + 1}"


class Cell(NamedTuple):
    """A weight of a head: how much a query looks at a key, both counted from 0."""

    head: Head
    query: int
    key: int

    def __str__(self) -> str:
        """As in "cross 3.1, row 2, column 3", counted from 1."""
        return f"{self.head}, row {self.query + 1}, column {self.key + 1}"


def read_head(name: str) -> Head:
    """The head of a name as pages and files spell it, as in "cross.3.1": layer and head count from 1.

    Raises:
        HeadscopeError: it is no such name.
    """
    kind, _, place = name.partition(".")
    layer, _, head = place.partition(".")
    if kind not in KINDS or not (layer.isdecimal() and head.isdecimal()) or 0 in (int(layer), int(head)):
        raise HeadscopeError(f"'{name}' names no head: write KIND.LAYER.HEAD, as in cross.3.1, counted from 1")
    return Head(kind, int(layer) - 1, int(head) - 1)


def all_heads(model: Anatomy) -> tuple[Head, ...]:
    """Every head of a model: by kind, then layer, then head."""
    return tuple(head for kind in model.capabilities().kinds for head in heads_of(model, kind))


def heads_of(model: Anatomy, kind: AttentionKind) -> list[Head]:
    """Every head of one kind."""
    return [Head(kind, site.layer, head) for site in layers_of(model, kind) for head in range(site.heads)]


def site_of(model: Anatomy, head: Head) -> Site:
    """Where a head is, in a model that has it."""
    return site_at(model, head.kind, head.layer)


def require(model: Anatomy, heads: Iterable[Head]) -> None:
    """Check that a model has all these heads, for one that it lacks would silently do nothing.

    Raises:
        HeadscopeError: names the first that is missing.
    """
    known = set(all_heads(model))
    for head in heads:
        if head not in known:
            model.capabilities().require_kind(head.kind)
            layers = layers_of(model, head.kind)
            raise HeadscopeError(
                f"there is no head {head}, layer and head counted from 1: "
                f"this model has {len(layers)} {head.kind} layers of {layers[0].heads} heads"
            )
