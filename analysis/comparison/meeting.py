"""Where records of different vocabularies meet: at the words of the text, found by the characters that pieces stand at.

A word of one may be cut where the other has none (a full stop that one vocabulary glues to the word before it): words
are then joined until all records begin one at the same character. Keys are summed and rows averaged, as in `words`.
No torch here.
"""

from collections.abc import Sequence
from dataclasses import replace

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.difference import difference
from headscope.analysis.records.heads import Head
from headscope.analysis.records.words import SEVERAL, Grouped, grouped, joined, regrouped
from headscope.model.errors import HeadscopeError
from headscope.model.sites import KIND_NAMES


def same_tokens(records: Sequence[AttentionMaps]) -> bool:
    """Whether rows and columns of all records stand for the same pieces."""
    first = records[0]
    return all(
        (other.source, other.reads, other.predicts) == (first.source, first.reads, first.predicts)
        for other in records[1:]
    )


def meet(records: Sequence[AttentionMaps], *, in_words: bool = False) -> list[AttentionMaps]:
    """The records with tokens in common: their own where these are the same, else common words.

    Args:
        records: of one sentence and one translation, in pieces.
        in_words: words even where the pieces are the same.

    Raises:
        HeadscopeError: the texts differ, or a symbol at their ends stands in one alone.
    """
    if not in_words and same_tokens(records):
        return list(records)
    sources, reads = (common_words([getattr(maps, name) for maps in records]) for name in ("source", "reads"))
    found = [regrouped(*each) for each in zip(records, sources, reads, strict=True)]
    tokens = {name: _plain(getattr(found[0], name)) for name in ("source", "reads", "predicts")}
    return [replace(maps, **tokens) for maps in found]


def common_words(sides: Sequence[Tokens]) -> list[Grouped]:
    """The words of one text in several vocabularies, as groups of the tokens of each: as many in all of them.

    Raises:
        HeadscopeError: the texts differ, or a symbol at their ends stands in one alone.
    """
    own = [grouped(tokens) for tokens in sides]
    texts = {each.tokens.text for each in own}
    if len(texts) > 1:
        raise HeadscopeError("the models read the sentence as different texts, which have no words in common")
    places = [_places(each) for each in own]
    common = set.intersection(*map(set, places))
    found = []
    for each, at in zip(own, places, strict=True):
        groups: list[range] = []
        for group, place in zip(each.groups, at, strict=True):
            if place in common or place[0] or not groups:
                groups.append(group)
            else:
                groups[-1] = range(groups[-1].start, group.stop)
        found.append(Grouped(each.tokens, groups))
    ends = [[each.tokens.tokens[group.start].special for group in each.groups] for each in found]
    if any(other != ends[0] for other in ends[1:]):
        raise HeadscopeError(
            "one of the models reads a start or end symbol where another has none: their maps have no tokens in common"
        )
    return found


def _places(found: Grouped) -> list[tuple[bool, int]]:
    """Where each word begins: symbols by their order among symbols, words by their first character."""
    words, symbols, places = joined(found), 0, []
    for token in words.tokens:
        places.append((True, symbols) if token.special else (False, token.span[0]))
        symbols += token.special
    return places


def _plain(tokens: Tokens) -> Tokens:
    """Without ids, which belong to one vocabulary."""
    return replace(tokens, tokens=tuple(_without_id(token) for token in tokens.tokens), mark=None)


def _without_id(token: Token) -> Token:
    return replace(token, id=SEVERAL)


def alone(maps: AttentionMaps, head: Head) -> AttentionMaps:
    """The record with one head alone, as the only one of its kind.

    Raises:
        HeadscopeError: the record has no such head.
    """
    layers = maps.layers(head.kind)
    if head.layer >= len(layers) or head.head >= len(layers[head.layer]):
        raise HeadscopeError(f"there is no head {head}, layer and head counted from 1: choose another one")
    kept = layers[head.layer][head.head][None]
    return replace(maps, maps={head.kind: (kept,)}, fingerprint=f"{maps.fingerprint} {head}")


def head_difference(after: AttentionMaps, after_head: Head, before: AttentionMaps, before_head: Head) -> AttentionMaps:
    """One head's map less another's, from records that meet: the only head of the record, from −1 to 1 for weights.

    Raises:
        HeadscopeError: the records have no tokens in common, or the heads are of different kinds.
    """
    if after_head.kind != before_head.kind:
        kinds = f"{KIND_NAMES[after_head.kind]} and {KIND_NAMES[before_head.kind]}"
        raise HeadscopeError(f"maps of {kinds} have other rows: compare heads of one kind")
    return difference(alone(after, after_head), alone(before, before_head))
