"""Attention as word alignment, against links that people made: alignment error rate (Och & Ney 2003). No torch here.

`H` heads, `N` sentences, `I` source and `J` target words. Two readings of the decoder's rows, for both are used: those
that *predict* the pieces of a word, and those that *read* them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.words import Role
from headscope.model.data.parallel_text import opened
from headscope.model.errors import HeadscopeError
from headscope.model.text.vocabulary import Span

Link = tuple[int, int]
"""A source and a target word, both counted from 0."""

Aggregation = Literal["words", "pieces"]
AGGREGATIONS: Mapping[Aggregation, str] = MappingProxyType(
    {
        "words": "columns of a word are summed, its rows averaged, and then the largest is taken: one link a word",
        "pieces": "the largest is taken in every row of a word, and its links are all of these",
    }
)
"""How pieces become words. The two differ, so what is reported names one."""

_CLOSING = re.compile(r"[.,;:?!%)\]}»…]+|['’]\w{1,2}|n't")
_OPENING = "([{«"


@dataclass(frozen=True, slots=True)
class Gold:
    """A sentence pair with its links."""

    source: str
    target: str
    source_words: tuple[Span, ...]
    """Where each word stands in the text."""
    target_words: tuple[Span, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]
    """The sure ones among them."""


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How well links fit, from 0 to 1."""

    aer: float
    precision: float
    recall: float


def read_gold(text: Path, links: Path, *, swap: bool = False, counted_from: int = 1) -> list[Gold]:
    """Sentence pairs from a file of `source words ||| target words`, and links from one of `1-1 2p3`, p for those that
    are possible only; either may be compressed with gzip.

    Args:
        swap: the files are of the other direction.
        counted_from: the number of a sentence's first word in the links: 1, or 0 as in Pharaoh's format.

    Raises:
        HeadscopeError: a file cannot be read, they differ in length, or a line is not what it should be.
    """
    pairs, marks = _lines(text), _lines(links)
    if len(pairs) != len(marks):
        raise HeadscopeError(f"{text} has {len(pairs):,} lines, {links} {len(marks):,}: they are not of one set")
    return [
        _gold(line, mark, f"{text}, line {at}", swap, counted_from)
        for at, (line, mark) in enumerate(zip(pairs, marks, strict=True), 1)
    ]


def counts(found: Iterable[Link], gold: Gold) -> np.ndarray:
    """[4] numbers that add up over sentences: |A ∩ S|, |A ∩ P|, |A| and |S|."""
    links = frozenset(found)
    return np.array([len(links & gold.sure), len(links & gold.possible), len(links), len(gold.sure)])


def error_rate(total: np.ndarray) -> ErrorRate:
    """From the sum [4] of `counts`: AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|), with precision and recall."""
    sure, possible, linked, wanted = map(float, total)
    nan = float("nan")
    return ErrorRate(
        aer=1 - (sure + possible) / (linked + wanted) if linked + wanted else nan,
        precision=possible / linked if linked else nan,
        recall=sure / wanted if wanted else nan,
    )


@runtime_checkable
class Rows(Protocol):
    """A record with target tokens for rows and source tokens for columns."""

    @property
    def source(self) -> Tokens:
        """The columns."""
        ...

    @property
    def reads(self) -> Tokens:
        """What each row has read last."""
        ...

    @property
    def predicts(self) -> Tokens:
        """What each row predicts."""
        ...


def aligned(
    layer: np.ndarray, maps: Rows, gold: Gold, *, rows: Role, aggregation: Aggregation = "words"
) -> list[list[Link]]:
    """The links of every head of a cross-attention layer [H, Q, K], or of any numbers of that shape.

    The end of sentence is no word, so it is left aside before the largest is taken.

    Args:
        rows: which rows are a word's: those that predict its pieces, or those that read them.
        aggregation: one of `AGGREGATIONS`.
    """
    keys = _members(maps.source, gold.source_words)
    queries = _members(maps.reads if rows == "reads" else maps.predicts, gold.target_words)
    there = [word for word, pieces in enumerate(queries) if pieces.any()]
    if aggregation == "words":
        scores = np.einsum("hqk,jq,ik->hji", layer, queries[there] / queries[there].sum(-1, keepdims=True), keys)
        return [list(zip(head.argmax(-1).tolist(), there, strict=True)) for head in scores]
    some = np.flatnonzero(keys.any(0))
    largest = some[layer[..., some].argmax(-1)]
    return [
        sorted(
            {
                (source, word)
                for word in there
                for row in np.flatnonzero(queries[word])
                for source in np.flatnonzero(keys[:, head[row]]).tolist()
            }
        )
        for head in largest
    ]


def _members(tokens: Tokens, words: Sequence[Span]) -> np.ndarray:
    """[words, pieces] of 0 and 1: which pieces hold a part of a word."""
    starts, ends = (np.array([token.span[at] for token in tokens.tokens]) for at in (0, 1))
    return np.array([(starts < end) & (ends > start) for start, end in words], dtype=float)


def _gold(line: str, mark: str, where: str, swap: bool, first: int) -> Gold:
    source, divider, target = line.partition("|||")
    pairs = [re.fullmatch(r"(\d+)([-p])(\d+)", link) for link in mark.split()]
    if not divider or None in pairs:
        raise HeadscopeError(f"{where}: `source ||| target` and links as in 1-1 2p3 are expected")
    links = [(int(pair[1]) - first, int(pair[3]) - first, pair[2]) for pair in pairs if pair]
    sides = [detokenised(side.split()) for side in (source, target)]
    if any(not (0 <= i < len(sides[0][1]) and 0 <= j < len(sides[1][1])) for i, j, _ in links):
        raise HeadscopeError(f"{where}: a link points past the end of the sentence (words are counted from {first})")
    if swap:
        sides, links = sides[::-1], [(j, i, sort) for i, j, sort in links]
    (source, source_words), (target, target_words) = sides
    sure = frozenset((i, j) for i, j, sort in links if sort == "-")
    return Gold(source, target, source_words, target_words, sure, sure | {(i, j) for i, j, _ in links})


def detokenised(words: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """Tokenised words as text that a person would write, and where each stands: no blank before a comma."""
    text, spans = "", []
    for word in words:
        if text and not _CLOSING.fullmatch(word) and text[-1] not in _OPENING:
            text += " "
        spans.append((len(text), len(text) + len(word)))
        text += word
    return text, tuple(spans)


def _lines(path: Path) -> list[str]:
    with opened(path) as stream:
        content = stream.read()
    try:
        return content.decode("utf-8").rstrip("\n").split("\n")
    except UnicodeDecodeError as error:
        raise HeadscopeError(f"{path} is not UTF-8 at byte {error.start + 1:,}: write it in UTF-8") from error
