"""From pieces to words: key columns are summed, query rows averaged, so that every row keeps its total.

A word is what stands between blanks; punctuation at its edges is a word of its own where a piece begins there, and
punctuation inside ("don't", "3.5") belongs to the word. Words are found by the pieces' places in the text, not by their
spelling, so any vocabulary will do; symbols with blanks between them are joined first, by the marks that they bear. A
language that writes no blanks has words as long as its clauses. Start and end symbols stay on their own.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.model.errors import HeadscopeError
from headscope.model.sites import AttentionKind
from headscope.model.text.symbol_vocabulary import MARKS, join
from headscope.model.text.vocabulary import Span

SEVERAL = -1
"""The id of a word that is made of several pieces."""

Role = Literal["reads", "predicts"]


def words(maps: AttentionMaps, *, rows: Role = "reads") -> AttentionMaps:
    """The same record with words for tokens; a word's log-probability is the sum of its pieces'.

    Args:
        rows: which rows of decoder and cross maps make up a word: those that read its pieces, or those that predict
            them. (In word alignment, attention with the word as input or as output.) Either way row i reads word i and
            goes on to predict word i + 1, and columns are the words themselves. The last piece of a translation that
            was cut off stands alone, as the end of sentence would: it is predicted, and nothing reads it.

    Of a contribution this gives sums of norms, which are not the norms of sums.

    Raises:
        HeadscopeError: texts are symbols that bear no mark of where a word goes on.
    """
    return regrouped(maps, grouped(maps.source), grouped(maps.reads), rows=rows)


def regrouped(maps: AttentionMaps, source: "Grouped", reads: "Grouped", *, rows: Role = "reads") -> AttentionMaps:
    """The same record with groups of its tokens for tokens, as `words` makes it."""
    last = len(maps.predicts) - 1
    following = [range(group.start - 1, group.stop - 1) for group in reads.groups[1:]]
    predicts = Grouped(_running(maps.predicts), [*following, range(last, last + 1)])

    def sides(kind: AttentionKind) -> tuple[list[range], list[range]]:
        looking = source if kind == "encoder" else {"reads": reads, "predicts": predicts}[rows]
        return looking.groups, (reads if kind == "decoder" else source).groups

    return replace(
        maps.mapped(lambda kind, layer: _pool(layer, *sides(kind)), f"words {rows}"),
        allowed={kind: _summed(links[None], *sides(kind))[0] > 0 for kind, links in maps.allowed.items()},
        source=joined(source),
        reads=joined(reads),
        predicts=joined(predicts),
        log_probs=np.add.reduceat(maps.log_probs, starts(predicts.groups)),
    )


@dataclass(frozen=True, slots=True)
class Grouped:
    """Tokens, and which of them make a word."""

    tokens: Tokens
    """In a text whose blanks stand between words."""
    groups: list[range]


def grouped(tokens: Tokens) -> Grouped:
    """The words of a sentence.

    Raises:
        HeadscopeError: the text is symbols that bear no mark of where a word goes on.
    """
    running = _running(tokens)
    return Grouped(running, _groups(running))


def joined(found: Grouped) -> Tokens:
    """Words for tokens."""
    return Tokens(found.tokens.text, tuple(_word(found.tokens, group) for group in found.groups))


def starts(groups: list[range]) -> list[int]:
    """Where each word begins: what `np.add.reduceat` wants."""
    return [group.start for group in groups]


def _running(tokens: Tokens) -> Tokens:
    """The tokens in a text whose blanks stand between words."""
    if tokens.mark is None:
        return tokens
    if not tokens.mark:
        raise HeadscopeError(
            f"the symbols of this vocabulary do not say where a word goes on (with {', '.join(MARKS)}): "
            "look at its pieces, not at words"
        )
    spelt = [tokens.text[slice(*token.span)] for token in tokens.tokens if not token.special]
    text, spans = join(spelt, tokens.mark)
    rest = iter(spans)
    placed, end = [], 0
    for token in tokens.tokens:
        start, end = (end, end) if token.special else next(rest)
        placed.append(replace(token, span=(start, end)))
    return Tokens(text, tuple(placed))


def _pool(layer: np.ndarray, queries: list[range], keys: list[range]) -> np.ndarray:
    summed = _summed(layer, queries, keys)
    sizes = np.array([len(group) for group in queries], dtype=layer.dtype)
    return summed / sizes[:, None]


def _summed(layer: np.ndarray, queries: list[range], keys: list[range]) -> np.ndarray:
    return np.add.reduceat(np.add.reduceat(layer, starts(keys), axis=2), starts(queries), axis=1)


def _groups(tokens: Tokens) -> list[range]:
    """The tokens of each word, by index."""
    ends = [end for _, end in _words(tokens.text)]

    def word(index: int) -> tuple[bool, int]:
        """A piece belongs to the word in which, or before which, it begins; blanks at the very end to the last one."""
        token = tokens.tokens[index]
        return (True, index) if token.special else (False, min(bisect_right(ends, token.span[0]), len(ends) - 1))

    runs = [list(run) for _, run in groupby(range(len(tokens)), key=word)]
    return [range(run[0], run[-1] + 1) for run in runs]


def _words(text: str) -> Iterator[Span]:
    """Where the words of a text stand."""
    for match in re.finditer(r"\S+", text):
        start, end = match.span()
        inner = [index for index in range(start, end) if not unicodedata.category(text[index]).startswith("P")]
        first, last = (inner[0], inner[-1] + 1) if inner else (start, end)
        yield from (span for span in ((start, first), (first, last), (last, end)) if span[0] < span[1])


def _word(tokens: Tokens, group: range) -> Token:
    first, last = tokens.tokens[group.start], tokens.tokens[group.stop - 1]
    if first.special:
        return first
    text = tokens.text[first.span[0] : last.span[1]]
    start = first.span[0] + len(text) - len(text.lstrip())
    end = max(start, first.span[0] + len(text.rstrip()))
    spelt = tokens.text[start:end] or "".join(token.piece for token in tokens.tokens[group.start : group.stop])
    return Token(spelt, first.id if len(group) == 1 else SEVERAL, (start, end))
