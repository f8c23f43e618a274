"""What takes the table's place."""

import numpy as np
import pytest
import torch

from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.capture.query_key import query_key
from headscope.analysis.positions.relative import (
    buckets,
    relative_positions,
    rotation,
    sinusoids,
    slopes,
    wavelengths,
)
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.toys import letter_translator


def test_rotation_turns_by_the_published_angles():
    found = relative_positions(letter_translator(positions="rotary", rotary_base=100.0), "decoder", 6)
    np.testing.assert_allclose(found.angles, np.arange(6)[:, None] * 100.0 ** (-np.arange(0, 8, 2) / 8), atol=1e-12)
    np.testing.assert_allclose(found.angles[1] * found.wavelengths, 2 * np.pi)
    assert found.product[0] == 1
    turned = rotation(6, 2, 100.0)
    np.testing.assert_allclose(turned.product, np.cos(np.arange(6)), atol=1e-12)


@pytest.mark.parametrize("scheme", ["alibi", "t5"])
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_biases_are_those_that_the_scores_get(scheme, stack, float64):
    translator = letter_translator(positions=scheme)
    if scheme == "t5":
        for biases in translator.model.positions.biases.values():
            torch.nn.init.normal_(biases, generator=torch.Generator().manual_seed(0))
    found = relative_positions(translator, stack, 12)
    assert found.distances.tolist() == list(range(-11, 12 if stack == "encoder" else 1))
    seen = query_key(translator, sentence_pair(translator, "a b c d e", "f g h i"), Head(stack, 0, 1))
    added = seen.scaled - seen.scores * seen.query.shape[1] ** -0.5
    for row, column in np.argwhere(np.isfinite(seen.masked)):
        at = found.distances.tolist().index(column - row)
        assert found.bias[1, at] == pytest.approx(added[row, column], abs=1e-9)


def test_shaws_vectors_and_what_they_add(float64):
    translator = letter_translator(positions="shaw", shaw_reach=3)
    found = relative_positions(translator, "encoder", 99)
    assert found.distances.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert found.norms.shape == (4, 7)
    seen = query_key(translator, sentence_pair(translator, "a b c d e f g", "h"), Head("encoder", 0, 2))
    added = seen.scaled - seen.scores * seen.query.shape[1] ** -0.5
    index = np.clip(np.arange(8)[None, :] - np.arange(8)[:, None], -3, 3) + 3
    np.testing.assert_allclose(np.take_along_axis(found.bias(seen.query, 2), index, 1), added, atol=1e-9)


def test_no_positions_and_tables_are_said_to_be_that():
    with pytest.raises(HeadscopeError, match="has no positions: its encoder reads a sentence as a bag"):
        relative_positions(letter_translator(positions="none"), "encoder", 5)
    with pytest.raises(HeadscopeError, match="are a table"):
        relative_positions(letter_translator(), "encoder", 5)


def test_formulas_without_a_model():
    np.testing.assert_allclose(sinusoids(3, 4, 100.0)[2], [np.sin(2), np.cos(2), np.sin(0.2), np.cos(0.2)], atol=1e-6)
    np.testing.assert_allclose(wavelengths(4, 100.0), [2 * np.pi, 20 * np.pi])
    np.testing.assert_allclose(slopes(8, 3).bias[0], [-1, -0.5, 0, -0.5, -1])
    distances, found = buckets(4, count=32, furthest=128)
    assert (distances.tolist(), found.tolist()) == ([-3, -2, -1, 0, 1, 2, 3], [3, 2, 1, 0, 17, 18, 19])
