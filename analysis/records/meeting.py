"""Where records of several models meet: at their pieces where these are alike, else at the words of the text, found by
the characters that pieces stand at. No torch here.

A word may begin in one vocabulary where another has none (a full stop that it glues to the word before): words are then
joined until all records begin one at the same character. Keys are summed and rows averaged, as in `words`.
"""

from collections.abc import Sequence
from dataclasses import replace

from headscope.analysis.records.attention_maps import AttentionMaps, Tokens
from headscope.analysis.records.words import Grouped, grouped, joined, regrouped
from headscope.model.errors import HeadscopeError

SIDES = ("source", "reads", "predicts")


def same_tokens(records: Sequence[AttentionMaps]) -> bool:
    """Whether all records are of the same pieces; symbols may be spelt in other ways, but have to stand at the same
    places, and ids may differ."""
    first = _spelt(records[0])
    return all(_spelt(other) == first for other in records[1:])


def meet(records: Sequence[AttentionMaps], *, in_words: bool = False) -> list[AttentionMaps]:
    """The records on tokens that all have: their pieces where these are alike, else common words.

    All bear the tokens of the first, for ids of another vocabulary would differ all the same.

    Args:
        records: of one sentence and one translation, in pieces.
        in_words: words even where the pieces are alike.

    Raises:
        HeadscopeError: the texts are not the same, a start or end symbol stands in one alone, or pieces stand for no
            words.
    """
    if in_words or not same_tokens(records):
        sides = [common_words([getattr(maps, side) for maps in records]) for side in ("source", "reads")]
        records = [regrouped(*each) for each in zip(records, *sides, strict=True)]
    names = {side: getattr(records[0], side) for side in SIDES}
    return [records[0], *(replace(other, **names) for other in records[1:])]


def common_words(sides: Sequence[Tokens]) -> list[Grouped]:
    """The words of one text in several vocabularies, as groups of the tokens of each: as many in all of them.

    Raises:
        HeadscopeError: as `meet`.
    """
    own = [grouped(tokens) for tokens in sides]
    if len({each.tokens.text for each in own}) > 1:
        raise HeadscopeError(
            "the records are of other texts, so their attention cannot be compared: let all models read the same "
            "sentence with the same translation"
        )
    starts = [_starts(each) for each in own]
    common = set.intersection(*map(set, starts))
    found = []
    for each, at in zip(own, starts, strict=True):
        groups: list[range] = []
        for group, start in zip(each.groups, at, strict=True):
            symbol, _ = start
            if symbol or start in common or not groups:
                groups.append(group)
            else:
                groups[-1] = range(groups[-1].start, group.stop)
        found.append(Grouped(each.tokens, groups))
    symbols = [[each.tokens.tokens[group.start].special for group in each.groups] for each in found]
    if any(other != symbols[0] for other in symbols[1:]):
        raise HeadscopeError(
            "one of the models reads or writes an end of sentence that another does not have, so their attention "
            "cannot be compared: choose checkpoints of one vocabulary"
        )
    return found


def _starts(found: Grouped) -> list[tuple[bool, int]]:
    """Where each word begins: a symbol by its number among symbols, a word by its first character."""
    starts, symbols = [], 0
    for token in joined(found).tokens:
        starts.append((True, symbols) if token.special else (False, token.span[0]))
        symbols += token.special
    return starts


def _spelt(maps: AttentionMaps) -> list[list[tuple[str, tuple[int, int]] | None]]:
    sides: list[Tokens] = [getattr(maps, side) for side in SIDES]
    return [[None if token.special else (token.piece, token.span) for token in side.tokens] for side in sides]
