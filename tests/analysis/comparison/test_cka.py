"""Centred kernel alignment against its definition, and what must not change it."""

import numpy as np
import pytest

from headscope.analysis.capture.pairs import corpus_pairs, sentence_pair
from headscope.analysis.comparison.cka import debiased_cka, layer_cka, layer_states, linear_cka
from headscope.analysis.comparison.naming import read_side
from headscope.analysis.comparison.sides import with_change
from headscope.model.errors import HeadscopeError
from tests.toy_seq2seq import mixing_translator
from tests.toys import SENTENCES, random_letters

CHANCE = np.random.default_rng(0)
X, Y = CHANCE.normal(size=(30, 5)) + 3, CHANCE.normal(size=(30, 8))
Y[:, :3] += X[:, :3]
TURN = np.linalg.qr(CHANCE.normal(size=(8, 8)))[0]


def unbiased(k: np.ndarray, m: np.ndarray) -> float:
    """HSIC of two kernel matrices, as Song et al. 2012 write it."""
    n, k, m = len(k), k - np.diag(np.diag(k)), m - np.diag(np.diag(m))
    one = np.ones(n)
    middle = (one @ k @ one) * (one @ m @ one) / ((n - 1) * (n - 2))
    return (np.trace(k @ m) + middle - 2 / (n - 2) * one @ k @ m @ one) / (n * (n - 3))


def test_linear_is_the_alignment_of_centred_kernels():
    centre = np.eye(30) - 1 / 30
    k, m = (centre @ each @ each.T @ centre for each in (X, Y))
    expected = np.sum(k * m) / np.sqrt(np.sum(k * k) * np.sum(m * m))
    assert linear_cka(X, Y) == pytest.approx(expected, abs=1e-12)


def test_debiased_is_that_of_the_estimator_without_bias():
    k, m = X @ X.T, Y @ Y.T
    expected = unbiased(k, m) / np.sqrt(unbiased(k, k) * unbiased(m, m))
    assert debiased_cka(X, Y) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("cka", [linear_cka, debiased_cka])
def test_turns_factors_and_shifts_change_nothing(cka):
    found = cka(X, Y)
    assert 0.1 < found < 0.9
    assert cka(X, 3.5 * Y @ TURN + 2) == pytest.approx(found, abs=1e-10)
    assert cka(Y, X) == pytest.approx(found, abs=1e-10)
    assert cka(Y, Y @ TURN) == pytest.approx(1, abs=1e-10)
    assert abs(cka(X, Y @ np.diag([9, 1, 1, 1, 1, 1, 1, 1])) - found) > 1e-3


def test_few_tokens_in_many_dimensions_are_alike_by_the_plain_one_alone():
    values = [(linear_cka(a, b), debiased_cka(a, b)) for a, b in (CHANCE.normal(size=(2, 20, 200)) for _ in range(40))]
    plain, debiased = np.mean(values, axis=0)
    assert plain > 0.85
    assert abs(debiased) < 0.05


def test_states_are_those_of_the_layers(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c", "d e")
    found = layer_states(translator, pair)
    assert found["encoder"].shape == (3, 4, 16)
    assert found["decoder"].shape == (4, 3, 16)
    ids, present = translator.batch([pair.source.ids])
    memory = translator.model.encode(translator.model.embed("source", ids), present)
    np.testing.assert_allclose(found["encoder"][-1], memory.states[0].detach().numpy(), rtol=0, atol=1e-9)


def test_a_model_is_like_itself_and_its_first_state_is_not_changed_by_a_head(exact):
    translator = exact()
    other = with_change(translator, read_side("x:without=encoder.2.1"))
    texts = [(text, text[::-1]) for text in random_letters(12, 9, seed=3)]
    same = layer_cka(translator, translator, texts)
    np.testing.assert_allclose(np.diag(same.encoder), 1, rtol=0, atol=1e-9)
    np.testing.assert_allclose(same.decoder, same.decoder.T, rtol=0, atol=1e-9)
    pairs = corpus_pairs(translator, texts)
    assert same.tokens[0] == sum(len(pair.source.ids) for pair in pairs)
    assert (same.sentences, same.unit) == (len(pairs), "pieces")
    found = layer_cka(translator, other, texts)
    np.testing.assert_allclose(np.diag(found.encoder)[:2], 1, rtol=0, atol=1e-9)
    assert found.encoder[2, 2] < 1 - 1e-6
    states = [[layer_states(each, pair)["encoder"][2][:-1] for pair in pairs] for each in (translator, other)]
    assert found.encoder[2, 2] == pytest.approx(debiased_cka(*map(np.concatenate, states)), abs=1e-9)
    assert len(found.to_pandas()) == 3 * 3 + 4 * 4


def test_vocabularies_meet_at_words(coarse, fine):
    found = layer_cka(coarse, fine, SENTENCES)
    assert found.unit == "words"
    assert found.encoder.shape == (3, 3)
    assert found.tokens[0] == sum(len(source.split()) + 1 for source, _ in SENTENCES)
    assert np.isfinite(found.decoder).all()


def test_what_cannot_be_compared_is_refused(exact, coarse):
    with pytest.raises(HeadscopeError, match="same languages"):
        layer_cka(exact(), coarse, SENTENCES)
    with pytest.raises(HeadscopeError, match="no residual stream"):
        layer_cka(mixing_translator(), mixing_translator(), [("a", "b")])
    with pytest.raises(HeadscopeError, match="3 tokens are too few"):
        layer_cka(exact(), exact(), [("a b c", "d")])
