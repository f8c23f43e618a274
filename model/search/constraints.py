"""What a search must write, and what it may not: the "what if" of a search. No torch here."""

from dataclasses import dataclass

from headscope.model.errors import HeadscopeError

Prefix = tuple[int, ...]
"""Pieces from the first one on: a node of the tree of all translations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """Where a search goes on from, and where it may not go.

    To force a piece at a node, put it behind the node's path and make that the prefix; to forbid it there, put the same
    path among the forbidden ones. Nothing is renormalised: pieces that are prescribed cost their own log-probability,
    and the others keep theirs, so that the scores of constrained and free searches can be compared.
    """

    prefix: Prefix = ()
    """Every translation begins with these pieces; the last one may be the end of sentence."""
    forbidden: frozenset[Prefix] = frozenset()
    """No translation begins like one of these: the last piece of each may not follow those before it."""

    def __post_init__(self) -> None:
        if () in self.forbidden:
            raise HeadscopeError("an empty beginning is forbidden: nothing could be written")
        for path in self.forbidden:
            if self.prefix[: len(path)] == path:
                raise HeadscopeError(f"pieces {list(path)} are prescribed and forbidden: choose one of both")

    def required(self, place: int) -> int | None:
        """The piece that is prescribed in that place, from 0; None: none is."""
        return self.prefix[place] if place < len(self.prefix) else None

    def forbidden_after(self, path: Prefix) -> list[int]:
        """The pieces that may not follow."""
        return sorted(banned[-1] for banned in self.forbidden if banned[:-1] == path)


FREE = Constraints()
"""None at all."""
