import numpy as np
import pytest

from headscope.analysis.corpus.intervals import by_source, resampled_means


def test_sentences_of_one_source_count_as_one():
    values = np.array([[1.0, 0.0], [3.0, 0.0], [8.0, 1.0]])
    assert by_source(values, ["a", "a", "b"]).tolist() == [[2, 0], [8, 1]]


def test_an_interval_is_about_that_of_the_normal_distribution():
    values = np.random.default_rng(1).normal(size=(400, 2))
    mean, low, high = resampled_means(values)
    assert mean.tolist() == pytest.approx(values.mean(0).tolist())
    half = 1.96 * values.std(0, ddof=1) / 20
    assert (mean - low).tolist() == pytest.approx(half.tolist(), rel=0.15)
    assert (high - mean).tolist() == pytest.approx(half.tolist(), rel=0.15)
