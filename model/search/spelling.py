"""Constraints in words: the beginning of a translation as text, pieces as the vocabulary spells them. No torch here."""

import difflib
from collections.abc import Sequence

from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints, Prefix
from headscope.model.text.vocabulary import Vocabulary

OFFERED = 8
"""What is offered to someone who types."""
SIMILAR = 4
"""Pieces that an error suggests."""


def piece_id(vocabulary: Vocabulary, spelling: str) -> int:
    """The target piece that is meant: as the vocabulary spells it, with `_` or a blank for its word-start mark or
    without it, or by its id.

    A spelling goes before an id: of a vocabulary that has the piece `7`, it is that piece.

    Raises:
        HeadscopeError: there is none.
    """
    size = vocabulary.size("target")
    pieces = _pieces(vocabulary)
    for spelt in (spelling, *_marked(spelling)):
        if spelt in pieces:
            return pieces[spelt]
    if spelling.isascii() and spelling.isdigit() and len(spelling) <= len(str(size)) and int(spelling) < size:
        return int(spelling)
    similar = difflib.get_close_matches(_marked(spelling)[-1], pieces, SIMILAR, 0.5)
    hint = f"similar ones are {', '.join(similar)}" if similar else f"give one by its id, from 0 to {size - 1}"
    raise HeadscopeError(f"the target vocabulary has no piece '{spelling}': {hint}; text can be given as the beginning")


def completions(vocabulary: Vocabulary, typed: str, *, most: int = OFFERED) -> list[Prefix]:
    """What may be meant by the beginning of a target piece, or by a whole word, best first: single pieces, the one that
    is spelt so before longer ones and the vocabulary's first ones before later ones, then the word cut into pieces.

    Args:
        typed: as the vocabulary spells it, with `_` or a blank for its word-start mark or without it.
    """
    typed = typed.rstrip()
    if not typed:
        return []
    pieces = _pieces(vocabulary)
    never = {vocabulary.pad, vocabulary.start} - {vocabulary.end}
    starts = tuple(dict.fromkeys((typed, *_marked(typed))))
    same = [pieces[start] for start in starts if start in pieces]
    longer = sorted(index for spelt, index in pieces.items() if spelt.startswith(starts))
    found: list[Prefix] = [(index,) for index in dict.fromkeys((*same, *longer)) if index not in never]
    cut = vocabulary.encode(typed.lstrip("_▁ ") or typed, "target").ids[len(vocabulary.prefix) :]
    if len(cut) > 1 and vocabulary.unknown not in cut:
        found[most - 1 :] = [cut]
    return found[:most]


def _pieces(vocabulary: Vocabulary) -> dict[str, int]:
    return {vocabulary.piece(index, "target"): index for index in reversed(range(vocabulary.size("target")))}


def _marked(spelling: str) -> list[str]:
    """A spelling with the word-start mark in the place of what stands for it, or before it."""
    return [f"▁{spelling[1:]}"] if spelling[:1] in ("_", " ", "▁") else [f"▁{spelling}"]


def in_words(
    vocabulary: Vocabulary, *, prefix: str = "", force: Sequence[str] = (), forbid: Sequence[str] = ()
) -> Constraints:
    """Constraints from a text and from pieces as `piece_id` takes them.

    Args:
        prefix: how the translation begins; it is cut into pieces afresh.
        force: the pieces that follow it.
        forbid: pieces that may not come next.

    Raises:
        HeadscopeError: a piece is unknown, or is forced and forbidden.
    """
    opening = vocabulary.encode(prefix, "target").ids
    if opening[: len(vocabulary.prefix)] != vocabulary.prefix:
        opening = (*vocabulary.prefix, *opening)
    path = (*opening, *(piece_id(vocabulary, spelling) for spelling in force))
    forbidden = frozenset((*path, piece_id(vocabulary, spelling)) for spelling in forbid)
    return Constraints(prefix=path, forbidden=forbidden)


def require_writable(vocabulary: Vocabulary, prefix: Prefix, longest: int) -> None:
    """Refuse the beginning of a translation that no search can write.

    Raises:
        HeadscopeError: it has more than `longest` pieces, some that are never written, or an end of sentence before the
            last place.
    """
    if len(prefix) > longest:
        raise HeadscopeError(f"{len(prefix)} pieces are prescribed, and a translation may have {longest} at most")
    for index in prefix:
        if not 0 <= index < vocabulary.size("target"):
            raise HeadscopeError(f"there is no piece {index}: the last one is {vocabulary.size('target') - 1}")
        if index in {vocabulary.pad, vocabulary.start} - {vocabulary.end}:
            raise HeadscopeError(f"'{vocabulary.piece(index, 'target')}' is never written: prescribe another piece")
    if vocabulary.end in prefix[:-1]:
        raise HeadscopeError("the end of sentence is prescribed before the last piece: nothing can follow it")
