"""Sanity checks of attributions (Adebayo et al. 2018): what does not depend on the model explains nothing."""

import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.pairs import sentence_pair
from tests.toys import random_letters, reversing_translator


@pytest.fixture(scope="module")
def others():
    """Models of the same shape: one that has learned nothing, and one that has learned random labels."""
    return reversing_translator(texts=0), reversing_translator(shuffled=True)


def correlation(one, two) -> float:
    """Of ranks, over the source tokens of each row: the mean."""
    ranks = [part.argsort(-1).argsort(-1) for part in (one, two)]
    return float(np.mean([np.corrcoef(*rows)[0, 1] for rows in zip(*ranks, strict=True)]))


@pytest.mark.parametrize("method", ["input x gradient", "occlusion", "feature ablation", "attention x gradient"])
def test_weights_at_random_or_learned_of_random_labels_are_explained_otherwise(reverser, others, method):
    random_weights, random_labels = others
    texts = random_letters(12, 10, seed=3)
    shuffled, random, again = [], [], []
    for text in texts:
        pair = sentence_pair(reverser, text, text[::-1])
        own = attribute(reverser, pair, method).reduced()[0]
        again.append(correlation(own, attribute(reverser, pair, method, seed=1).reduced()[0]))
        random.append(correlation(own, attribute(random_weights, pair, method).reduced()[0]))
        shuffled.append(correlation(own, attribute(random_labels, pair, method).reduced()[0]))
    assert np.mean(again) == pytest.approx(1)
    assert abs(np.mean(random)) < 0.3
    assert abs(np.mean(shuffled)) < 0.4
