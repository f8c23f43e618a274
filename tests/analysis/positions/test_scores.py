"""What first-layer scores owe to positions."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.capture.query_key import query_key
from headscope.analysis.positions.scores import corpus_shares, head_scores, score_terms
from headscope.analysis.positions.table import position_table
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from headscope.model.sites import site_at
from tests.toys import letter_translator

PAIR = ("c a b b a g e", "b a d e")


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("changes", [{}, {"positions": "learned", "zero_start": True}, {"attention_bias": False}])
def test_the_terms_add_up_to_the_score(stack, changes, float64):
    translator = letter_translator(**changes)
    pair = sentence_pair(translator, *PAIR)
    found = score_terms(translator, pair, stack)
    for head in range(site_at(translator.model, stack, 0).heads):
        seen = query_key(translator, pair, Head(stack, 0, head))
        np.testing.assert_allclose(found.terms[head].sum((0, 1)), seen.scaled, atol=1e-9)
        np.testing.assert_array_equal(found.allowed, np.isfinite(seen.masked))
        assert found.queries == seen.queries


def test_each_term_is_what_its_name_says(float64):
    translator = letter_translator()
    model, pair = translator.model, sentence_pair(translator, *PAIR)
    found = score_terms(translator, pair, "encoder")
    ids = [*pair.source.ids, translator.vocabulary.end]
    table = position_table(translator, 64).rows
    content = model.source_embedding.weight.detach().numpy()[ids] * model.scale
    position = table[: len(ids)] - table.mean(0)
    layer = model.encoder[0].attention
    query, key = (linear.weight.detach().numpy()[4:8] for linear in (layer.query, layer.key))
    bias = layer.key.bias.detach().numpy()[4:8] + key @ table.mean(0)
    np.testing.assert_allclose(found.terms[1, 0, 1], content @ query.T @ key @ position.T / 2, atol=1e-9)
    np.testing.assert_allclose(found.terms[1, 1, 0], position @ query.T @ key @ content.T / 2, atol=1e-9)
    np.testing.assert_allclose(found.terms[1, 1, 2], (position @ query.T @ bias / 2)[:, None] + np.zeros(8), atol=1e-9)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_shares_add_up_and_terms_alike_for_all_keys_have_none(stack, float64):
    translator = letter_translator()
    found = score_terms(translator, sentence_pair(translator, *PAIR), stack)
    np.testing.assert_allclose(found.shares.sum((1, 2)), 1, atol=1e-9)
    np.testing.assert_allclose(found.shares[:, :, 2], 0, atol=1e-9)
    one, (rows, keys) = found.terms[0], found.allowed.shape
    covariance = variance = 0.0
    for row in range(rows):
        allowed = [key for key in range(keys) if found.allowed[row, key]]
        score = one[:, :, row, allowed].sum((0, 1))
        covariance += np.cov(one[0, 0, row, allowed], score, ddof=0)[0, 1]
        variance += score.var()
    assert found.shares[0, 0, 0] == pytest.approx(covariance / variance, abs=1e-9)


def test_a_corpus_is_pooled(float64):
    translator = letter_translator()
    pairs = [sentence_pair(translator, *texts) for texts in (PAIR, ("z e b r a", "a"), ("q u i z", "z o o"))]
    told = []

    class Watch:
        def update(self, done, total):
            told.append((done, total))

    found = corpus_shares(translator, pairs, "encoder", progress=Watch())
    np.testing.assert_allclose(found.share.sum((1, 2)), 1, atol=1e-9)
    assert (found.sentences, told[0], told[-1]) == (3, (0, 3), (3, 3))
    each = np.stack([score_terms(translator, pair, "encoder").shares for pair in pairs])
    np.testing.assert_allclose(found.deviation, each.std(0), atol=1e-9)
    assert (each.min(0) - 1e-9 <= found.share).all()
    assert (found.share <= each.max(0) + 1e-9).all()
    with pytest.raises(HeadscopeError, match="no sentences"):
        corpus_shares(translator, [], "encoder")


def test_scores_of_positions_alone(float64):
    translator = letter_translator(positions="learned", position_table=7)
    found = head_scores(translator, "decoder", 9)
    assert found.scores.shape == (2, 7, 7)
    rows = translator.model.positions.table.detach().numpy()
    rows = rows - rows.mean(0)
    layer = translator.model.decoder[0].attention
    query, key = (linear.weight.detach().numpy()[8:] for linear in (layer.query, layer.key))
    np.testing.assert_allclose(found.scores[1], (rows @ query.T) @ (rows @ key.T).T / 8**0.5, atol=1e-9)


def test_the_mean_row_is_that_of_the_trained_ones(float64):
    translator = letter_translator()
    translator.card = replace(translator.card, positions={"source": (9, 9, 9), "target": (9, 9)})
    rows = position_table(translator, 5).rows
    found = head_scores(translator, "encoder", 5)
    moved = rows - rows[:3].mean(0)
    layer = translator.model.encoder[0].attention
    query, key = (linear.weight.detach().numpy()[:4] for linear in (layer.query, layer.key))
    np.testing.assert_allclose(found.scores[0], (moved @ query.T) @ (moved @ key.T).T / 2, atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"norm": "pre"}, "pre-norm"),
        ({"positions": "rotary"}, "rotary"),
        ({"attention": {"encoder": {"score": "additive"}}}, "no terms of scores"),
    ],
)
def test_where_they_do_not_add_up_it_is_said_why(changes, reason):
    translator = letter_translator(**changes)
    with pytest.raises(HeadscopeError, match=reason):
        head_scores(translator, "encoder", 5)
    with pytest.raises(HeadscopeError, match=reason):
        score_terms(translator, sentence_pair(translator, *PAIR), "encoder")
