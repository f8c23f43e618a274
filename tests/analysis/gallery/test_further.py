"""Further numbers of a head, taken another way."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.analysis.gallery.choice import for_numbers
from headscope.analysis.gallery.further import alignment_error, between_verb_and_prefix, unchanged
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.measures.alignment import Gold, aligned, counts, error_rate
from headscope.analysis.records.heads import Head
from headscope.model.search.settings import SearchSettings
from tests.toys import random_letters

QUICK = SearchSettings(beam=1, longest=8)


def test_translations_that_stay_without_a_head(reverser):
    texts, head = sorted(set(random_letters(30, 9, seed=5)))[:8], Head("cross", 1, 0)
    pairs = [sentence_pair(reverser, text, settings=QUICK) for text in texts]
    found = unchanged(reverser, head, pairs, QUICK)
    same = [
        reverser.translate([text], settings=QUICK, probe=Zeroed(reverser.model.config, [head]))[0].text
        == pair.target.text
        for text, pair in zip(texts, pairs, strict=True)
    ]
    assert found.number.value == pytest.approx(np.mean(same))


def test_the_best_aligner_by_links_made_by_hand(reverser):
    texts = sorted(set(random_letters(16, 6, seed=3)))
    spans = {text: tuple((at, at + 1) for at in range(0, len(text), 2)) for text in texts}
    gold = []
    for text in texts:
        count = len(spans[text])
        links = frozenset((count - 1 - j, j) for j in range(count))
        gold.append(Gold(text, text[::-1], spans[text], spans[text], links, links))
    found = alignment_error(reverser, Head("cross", 0, 0), gold)

    def rate(head: Head, rows, half: bool) -> float:
        total = np.zeros(4)
        for pair in (pair for pair in gold if for_numbers(pair.source) == half):
            encode = reverser.vocabulary.encode
            maps = record(reverser, SentencePair(encode(pair.source, "source"), encode(pair.target, "target")))
            total += counts(aligned(maps.cross[head.layer], maps, pair, rows=rows)[head.head], pair)
        return error_rate(total).aer

    every = [
        (Head("cross", layer, head), rows) for rows in ("predicts", "reads") for layer in (0, 1) for head in (0, 1)
    ]
    best, rows = min(every, key=lambda one: rate(*one, half=False))
    assert found.head == best
    assert found.number.value == pytest.approx(rate(best, rows, half=True), rel=1e-5)
    of_control = [one for one in every if one[0] == Head("cross", 0, 0)]
    _, rows = min(of_control, key=lambda one: rate(*one, half=False))
    assert found.control.value == pytest.approx(rate(Head("cross", 0, 0), rows, half=True), rel=1e-5)


def test_rows_between_a_verb_and_its_prefix(translator):
    pair = sentence_pair(translator, "I will call you.", "Ich rufe dich morgen früh an.")
    found = between_verb_and_prefix(translator, Head("decoder", 1, 1), [pair])
    maps = record(translator, pair)
    text = maps.reads.text
    verb = [i for i, t in enumerate(maps.reads.tokens) if t.span[0] < text.index("dich") - 1 and t.span[1] > 3]
    last = min(i for i, token in enumerate(maps.predicts.tokens) if token.span[1] > text.index(" an.") + 1)
    rows = maps.decoder[1][1][max(verb) + 1 : last]
    assert found.number.value == pytest.approx(np.isin(rows[:, 1:].argmax(-1) + 1, verb).mean(), rel=1e-5)
