"""Several systems on one test set."""

import pytest
from sacrebleu import BLEU, CHRF

from headscope.analysis.corpus.evaluation import corpus_score
from headscope.analysis.corpus.paired import paired_test

SOURCES = [f"source {number // 2}" for number in range(20)]
REFERENCES = [
    f"the {word} house by the river was sold in {number}" for number, word in enumerate("abcdefghijklmnopqrst")
]
GOOD = [text.replace("was sold", "was soon sold") if n % 3 else text for n, text in enumerate(REFERENCES)]
BAD = [text.replace("house by the", "boat on a") if n % 4 else text for n, text in enumerate(REFERENCES)]


def test_scores_are_those_of_a_corpus_and_the_first_is_the_base():
    first, good, bad = paired_test([GOOD, GOOD, BAD], SOURCES, REFERENCES, "en")
    for system, texts in ((first, GOOD), (bad, BAD)):
        for score, kind in zip(system, (BLEU, CHRF), strict=True):
            assert score.value == pytest.approx(corpus_score(kind, SOURCES, texts, REFERENCES).value)
            assert score.interval > 0
    assert [score.metric for score in first] == ["BLEU", "chrF"]
    assert [score.p for score in first] == [None, None]
    assert [score.p for score in good] == [1.0, 1.0]
    assert all(score.p < 0.05 for score in bad)


def test_the_order_of_sentences_does_not_matter():
    turned = [list(reversed(each)) for each in (GOOD, BAD, SOURCES, REFERENCES)]
    values = [[score.value for score in system] for system in paired_test([GOOD, BAD], SOURCES, REFERENCES, "en")]
    again = [[score.value for score in system] for system in paired_test(turned[:2], turned[2], turned[3], "en")]
    assert values == [pytest.approx(each) for each in again]
