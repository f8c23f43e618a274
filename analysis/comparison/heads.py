"""Heads of two models in one sentence: how alike any two are, and which is most like a given one.

`A`, `B` heads of one kind in either record, `Q` queries, `K` keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.comparison.translations import forced_maps
from headscope.analysis.positions.comparison import require_same_languages
from headscope.analysis.positions.matching import row_divergences
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.difference import at_heads, difference
from headscope.analysis.records.heads import Head
from headscope.analysis.records.meeting import meet, same_tokens
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import KIND_NAMES, AttentionKind
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame


def heads_in(maps: AttentionMaps, kind: AttentionKind) -> list[Head]:
    """Every head of a kind in a record, by layer."""
    return [Head(kind, layer, head) for layer, array in enumerate(maps.layers(kind)) for head in range(len(array))]


def head_divergences(a: AttentionMaps, b: AttentionMaps, kind: AttentionKind) -> np.ndarray:
    """[A, B]: mean Jensen-Shannon divergence of the rows of any two heads, in nats: 0 is equal, ln 2 nothing in common.

    Start and end symbols are left aside and the rest renormalised, as over a corpus (`positions.matching`). NaN where
    no row has two keys to choose from.

    Args:
        a, b: records that meet.

    Raises:
        HeadscopeError: their tokens differ, or one has no such attention.
    """
    for maps in (a, b):
        maps.require([kind], "a comparison of heads")
    if a.queries(kind) != b.queries(kind) or a.keys(kind) != b.keys(kind):
        raise HeadscopeError(f"the maps of {KIND_NAMES[kind]} have other rows or columns: let the records meet first")
    asking = a.predicts.special if kind == "cross" else a.queries(kind).special
    links = a.allowed[kind] & ~asking[:, None] & ~a.keys(kind).special
    ours, theirs = (torch.from_numpy(np.concatenate(maps.layers(kind)).copy()) for maps in (a, b))
    return row_divergences(ours, theirs, torch.from_numpy(links))


def nearest_head(a: AttentionMaps, head: Head, b: AttentionMaps) -> tuple[Head, float]:
    """The head of the second record that is most like one of the first, and their divergence in nats.

    There always is one, be it ever so unlike: in one sentence that is no finding.

    Raises:
        HeadscopeError: as `head_divergences`, or no row has two keys to choose from.
    """
    row = head_divergences(a, b, head.kind)[heads_in(a, head.kind).index(head)]
    if np.isnan(row).any():
        raise HeadscopeError("no row of these maps has two words to choose from: take a longer sentence")
    place = int(row.argmin())
    return heads_in(b, head.kind)[place], float(row[place])


def alone(maps: AttentionMaps, head: Head) -> AttentionMaps:
    """The record with one head, as the first and only one of its kind.

    Raises:
        HeadscopeError: the record has no such head.
    """
    if head not in heads_in(maps, head.kind):
        raise HeadscopeError(f"there is no head {head}, layer and head counted from 1: choose another one")
    return at_heads(maps, {Head(head.kind, 0, 0): head})


def head_difference(after: AttentionMaps, after_head: Head, before: AttentionMaps, before_head: Head) -> AttentionMaps:
    """One head's map less another's, from records that meet: from −1 to 1 for weights.

    Raises:
        HeadscopeError: the records have no tokens in common, or the heads are of different kinds.
    """
    if after_head.kind != before_head.kind:
        kinds = f"{KIND_NAMES[after_head.kind]} and {KIND_NAMES[before_head.kind]}"
        raise HeadscopeError(f"maps of {kinds} have other rows: compare heads of one kind")
    return difference(alone(after, after_head), alone(before, before_head))


@dataclass(frozen=True, slots=True)
class Partner:
    """What of another model stands beside a head of the first, in one sentence."""

    model: str
    place: float | None
    """Divergence from the head of the same place, in nats; None: there is none."""
    nearest: Head
    """The most alike one of its kind: some head always is."""
    divergence: float
    """From that one."""


@dataclass(frozen=True, slots=True)
class ComparedHead(Table):
    """A head of the first model beside those of others, all reading the first one's translation."""

    head: Head
    partners: tuple[Partner, ...]
    in_words: bool
    """Whether words were compared, for the models cut the text into other pieces."""

    def to_pandas(self) -> "DataFrame":
        """One row a model: model, place, nearest, divergence."""
        import pandas as pd

        rows = [(each.model, each.place, str(each.nearest), each.divergence) for each in self.partners]
        return pd.DataFrame(rows, columns=["model", "place", "nearest", "divergence"])


def compared_head(
    translators: Sequence[Translator], source: str, head: Head, *, settings: SearchSettings | None = None
) -> ComparedHead:
    """Look for a head of the first model in all others, in one sentence.

    Args:
        settings: by which the first one's translation is searched.

    Raises:
        HeadscopeError: the models have other languages, a kind of attention or a head is missing, the sentence is
            blank, too long, or too short to compare heads in.
    """
    first, *others = translators
    for other in others:
        require_same_languages(first, other)
    pair = sentence_pair(first, source, settings=settings)
    records = [forced_maps(translator, pair) for translator in translators]
    ours, *theirs = meet(records)
    alone(ours, head)  # says that there is none
    partners = []
    for translator, maps in zip(others, theirs, strict=True):
        row = head_divergences(ours, maps, head.kind)[heads_in(ours, head.kind).index(head)]
        known = heads_in(maps, head.kind)
        place = float(row[known.index(head)]) if head in known else None
        partners.append(Partner(translator.card.name, place, *nearest_head(ours, head, maps)))
    return ComparedHead(head, tuple(partners), not same_tokens(records))
