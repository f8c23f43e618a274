"""Minimum-Bayes-risk choice."""

import numpy as np
import pytest
from sacrebleu import sentence_bleu, sentence_chrf

from headscope.analysis.search.mbr import choose, mbr
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.search.settings import Sampling, SearchSettings
from tests.toys import SENTENCES

SAMPLES = ["the cat sat", "the cat ran", "a dog", "the cat sat", "the cat sat"]
LOG_PROBS = [-2.0, -3.0, -1.0, -2.5, -2.0]


def test_choice_by_hand():
    """Three cats that sit, one that runs, one dog: the cat that sits is most like all of them."""
    found = choose(SAMPLES, LOG_PROBS)
    assert found.text == "the cat sat"
    ran = sentence_chrf("the cat sat", ["the cat ran"]).score
    dog = sentence_chrf("the cat sat", ["a dog"]).score
    assert found.expected[0] == pytest.approx((3 * 100 + ran + dog) / 5)
    assert (found.counts, found.log_probs) == ((3, 1, 1), (-2.0, -3.0, -1.0))
    assert found.texts == ("the cat sat", "the cat ran", "a dog")
    assert np.diag(found.utilities).tolist() == [100.0] * 3
    assert found.utilities[1, 0] == pytest.approx(sentence_chrf("the cat ran", ["the cat sat"]).score)
    assert list(found.expected) == sorted(found.expected, reverse=True)
    assert found.to_pandas()["count"].tolist() == [3, 1, 1]


def test_other_utility():
    found = choose(SAMPLES, LOG_PROBS, "bleu")
    row = found.texts.index("the cat ran")
    expected = sentence_bleu("the cat ran", ["the cat sat"], use_effective_order=True).score
    assert found.utilities[row, found.texts.index("the cat sat")] == pytest.approx(expected)
    assert found.tokens is not None
    assert found.tokens.name == "13a"
    assert choose(SAMPLES, LOG_PROBS).tokens is None


@pytest.mark.parametrize("language", ["zh_CN", ""])
def test_chinese_is_cut_into_signs(language):
    texts = ["今天的天气非常好。", "今天的天气很好。", "我不知道。"]
    found = choose(texts, [-1.0, -2.0, -0.5], "bleu", language=language)
    first, second = (found.texts.index(text) for text in texts[:2])
    expected = sentence_bleu(texts[0], [texts[1]], tokenize="zh", use_effective_order=True).score
    assert found.utilities[first, second] == pytest.approx(expected)
    assert expected > 30
    # The two that are alike come before the one that is more probable.
    assert found.texts[2] == texts[2]


def test_most_probable_breaks_the_tie():
    found = choose(["ab", "cd"], [-2.0, -1.0])
    assert found.expected[0] == found.expected[1]
    assert found.text == "cd"


def test_empty_translations():
    found = choose(["", "", "a"], [-1.0, -1.0, -2.0])
    assert (found.text, found.expected[0]) == ("", pytest.approx(200 / 3))


def test_samples_of_a_model(translator):
    source, target = SENTENCES[3]
    sampling = Sampling(count=16, temperature=0.3, seed=2)
    found = mbr(translator, source, sampling=sampling)
    assert sum(found.counts) == 16
    assert found.sampling == sampling
    assert found.text == target  # the model knows it by heart
    assert found.utilities.shape == (len(found.texts),) * 2
    brief = mbr(translator, source, sampling=sampling, settings=SearchSettings(longest=2))
    assert all(len(translator.vocabulary.encode(text, "target").ids) <= 3 for text in brief.texts)


def test_too_many(translator):
    with pytest.raises(HeadscopeError, match=r"501 samples .* at most 500"):
        mbr(translator, "a", sampling=Sampling(count=501))


def test_it_says_how_far_it_is_and_can_be_cancelled():
    heard = []

    class Impatient:
        def update(self, done: int, total: int | None) -> None:
            heard.append((done, total))
            if done == 2:
                raise Cancelled

    with pytest.raises(Cancelled):
        choose(["a", "b", "c", "d"], [-1.0] * 4, progress=Impatient())
    assert heard == [(0, 4), (1, 4), (2, 4)]
