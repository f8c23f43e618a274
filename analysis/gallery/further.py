"""Further numbers of a head that was chosen for something else: as a word aligner, and for what the search finds.

`N` sentences.
"""

import random
from collections.abc import Sequence

import numpy as np

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.gallery.choice import for_numbers, number, ratio
from headscope.analysis.gallery.places import before_prefix, shares
from headscope.analysis.gallery.record import Further, Number
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.measures.alignment import Gold, aligned, counts
from headscope.analysis.records.heads import Head, all_heads, heads_of
from headscope.analysis.records.words import Role
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator

TOGETHER = 25
"""Sentences that one random head is taken away from."""
ROWS: tuple[Role, ...] = ("predicts", "reads")


def alignment_error(translator: Translator, head: Head, gold: Sequence[Gold]) -> Further:
    """Alignment error rate with the gold target forced: of the cross-attention head that is best on one half of the
    gold set, and for control of one head; both from the other half, each in the reading of rows that suits it on the
    first.
    """
    encode = translator.vocabulary.encode
    heads = heads_of(translator.model, "cross")
    tables = {rows: np.empty((len(gold), len(heads), 4)) for rows in ROWS}
    for at, pair in enumerate(gold):
        maps = record(translator, SentencePair(encode(pair.source, "source"), encode(pair.target, "target")))
        for rows in ROWS:
            links = [linked for layer in maps.cross for linked in aligned(layer, maps, pair, rows=rows)]
            tables[rows][at] = [counts(linked, pair) for linked in links]
    half = np.array([for_numbers(pair.source) for pair in gold])

    def rate(at: int) -> tuple[float, Number]:
        """Of one head: on the first half, by which readings and heads are chosen, and on the other."""
        first, rows = min((_rate(tables[rows][~half, at]).value, rows) for rows in ROWS)
        return first, _rate(tables[rows][half, at])

    best = min(range(len(heads)), key=lambda at: rate(at)[0])
    return Further(number=rate(best)[1], control=rate(heads.index(head))[1], head=heads[best])


def between_verb_and_prefix(translator: Translator, head: Head, pairs: Sequence[SentencePair]) -> Further:
    """Share of the rows between a German verb and its prefix in which a decoder head's largest weight is on the verb,
    and for control that of the other heads of its layer.
    """
    every = []
    for pair in pairs:
        maps = record(translator, pair)
        every.append(shares(maps, "decoder", before_prefix(maps))[head.layer])
    own, rest = np.array(every)[:, head.head], np.delete(every, head.head, axis=1).mean(1)
    return Further(number=number(own), control=number(rest))


def unchanged(translator: Translator, head: Head, pairs: Sequence[SentencePair], settings: SearchSettings) -> Further:
    """Share of sentences that are translated to the same text without a head; for the control, without another one,
    drawn at random for every few sentences.
    """
    others = [other for other in all_heads(translator.model) if other != head]
    random.Random(0).shuffle(others)
    groups = [pairs[first : first + TOGETHER] for first in range(0, len(pairs), TOGETHER)]

    def same(group: Sequence[SentencePair], without: Head) -> list[bool]:
        probe = Zeroed(translator.model, [without])
        found = translator.translate([pair.source.text for pair in group], settings=settings, probe=probe)
        return [new.text == pair.target.text for new, pair in zip(found, group, strict=True)]

    control = [same(group, others[at % len(others)]) for at, group in enumerate(groups)]
    return Further(
        number=number(np.array(same(pairs, head), dtype=float)),
        control=number(np.concatenate(control).astype(float)),
    )


def _rate(table: np.ndarray) -> Number:
    """Alignment error rate from counts [N, 4], see `analysis.measures.alignment.counts`."""
    return ratio(table[:, 2] + table[:, 3] - table[:, 0] - table[:, 1], table[:, 2] + table[:, 3])
