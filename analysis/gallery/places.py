"""Places in a sentence pair that a question is about: rows of a kind of map, and the keys a head may look at there.

They are found by words and where these stand in the text, so any vocabulary will do. No torch here.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from headscope.analysis.gallery.lexicon import FALSE_FRIENDS, PREFIXES, VERBS, Reference
from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.model.sites import AttentionKind
from headscope.model.text.vocabulary import Span

AWAY = 2
"""Words that stand at least between the places of a long-distance question, or behind its verb."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row, and what a head looks at if it does what is asked."""

    row: int
    wanted: frozenset[int]
    """Keys."""
    rivals: frozenset[int] | None = None
    """Keys that together must have less weight than those wanted together; None: the largest weight of the row, start
    and end symbols left aside, must be on one of those wanted."""
    pin: tuple[Literal["source", "output"], int] | None = None
    """Side and index of the piece that the row is about."""


def shares(maps: AttentionMaps, kind: AttentionKind, places: Sequence[Place]) -> tuple[np.ndarray, ...]:
    """Share of the places where each head does what is asked: one array [H] a layer of that kind."""
    plain = ~maps.keys(kind).special
    return tuple(
        np.mean([_does(layer[:, place.row], plain, place) for place in places], 0) for layer in maps.layers(kind)
    )


def _does(rows: np.ndarray, plain: np.ndarray, place: Place) -> np.ndarray:
    """[H] of truth, from one row of every head [H, K]."""
    if place.rivals is not None:
        return rows[:, sorted(place.wanted)].sum(-1) > rows[:, sorted(place.rivals)].sum(-1)
    return np.isin(np.where(plain, rows, -1).argmax(-1), sorted(place.wanted))


def twins(maps: AttentionMaps) -> list[Place]:
    """Names and numbers that are spelt the same on both sides, once on each: cross rows that begin to write one.

    A name is a capitalised word of three letters at least that is no word of both languages with two meanings.
    """
    sides = [_once(re.finditer(r"\b(?:[A-Z]\w{2,}|\d+)\b", tokens.text)) for tokens in (maps.source, maps.predicts)]
    both = [word for word in sides[0] if word in sides[1] and word not in FALSE_FRIENDS]
    return [_across(maps, sides[1][word], sides[0][word]) for word in both]


def final_verb(maps: AttentionMaps) -> list[Place]:
    """A German infinitive or participle that ends the sentence, and the English verb well before the end of its own:
    the cross row that begins to write it.
    """
    source, target = _words(maps.source.text), _words(maps.predicts.text)
    if not source or not target:
        return []
    last, span = target[-1]
    verbs = [at for at, (word, _) in enumerate(source) if last in _german(word.lower())]
    if len(verbs) != 1 or verbs[0] + AWAY >= len(source) or [word for word, _ in target].count(last) > 1:
        return []
    return [_across(maps, span, source[verbs[0]][1])]


def prefix(maps: AttentionMaps) -> list[Place]:
    """A separable prefix that ends a German sentence, and the one verb before it that takes it: the decoder row that
    writes the prefix.
    """
    words = _words(maps.predicts.text)
    if not words or words[-1][0] not in PREFIXES:
        return []
    last, span = words[-1]
    # A capital letter inside a sentence is a noun's.
    starts = [word.lower() if at == 0 else word for at, (word, _) in enumerate(words[:-1])]
    verbs = [at for at, word in enumerate(starts) if word.startswith(PREFIXES[last])]
    if len(verbs) != 1 or len(words) - 2 - verbs[0] < AWAY:
        return []
    row = min(_pieces(maps.predicts, span))
    return [Place(row, _pieces(maps.reads, words[verbs[0]][1]), pin=("output", row))]


def before_prefix(maps: AttentionMaps) -> list[Place]:
    """The decoder rows between such a verb and its prefix: those that have read more than the verb."""
    return [replace(place, row=row) for place in prefix(maps) for row in range(max(place.wanted) + 1, place.row)]


FINDERS: Mapping[str, Callable[[AttentionMaps], list[Place]]] = {
    "twins": twins,
    "final_verb": final_verb,
    "prefix": prefix,
}
"""The questions that are about places which any sentence may have."""


def referent(maps: AttentionMaps, reference: Reference) -> list[Place]:
    """The encoder row of "it": what it stands for, against the other thing."""
    where = dict(_words(maps.source.text))
    row = max(_pieces(maps.source, where["it"]))
    right, wrong = (_pieces(maps.source, where[word]) for word in (reference.right, reference.wrong))
    return [Place(row, right, wrong, ("source", row))]


def _german(english: str) -> frozenset[str]:
    return frozenset(form for forms, german in VERBS.items() if english in forms for form in german)


def _across(maps: AttentionMaps, written: Span, wanted: Span) -> Place:
    """The cross row that begins to write a word, and the word of the source that it is to look at."""
    row = min(_pieces(maps.predicts, written))
    return Place(row, _pieces(maps.source, wanted), pin=("output", row))


def _words(text: str) -> list[tuple[str, Span]]:
    return [(match.group(), match.span()) for match in re.finditer(r"[\w'’]+", text)]


def _once(matches: Iterable[re.Match[str]]) -> Mapping[str, Span]:
    """Words that occur once, and where."""
    places: dict[str, list[Span]] = {}
    for match in matches:
        places.setdefault(match.group(), []).append(match.span())
    return {word: spans[0] for word, spans in places.items() if len(spans) == 1}


def _pieces(tokens: Tokens, span: Span) -> frozenset[int]:
    """The pieces that hold a part of a word."""
    return frozenset(
        index for index, token in enumerate(tokens.tokens) if token.span[0] < span[1] and token.span[1] > span[0]
    )
