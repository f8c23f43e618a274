from itertools import permutations

import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.positions.matching import Verdict, assignment, divergences, jensen_shannon, matched_heads
from headscope.model.errors import HeadscopeError
from tests.toys import random_letters

TEXTS = [(source, source[::-1]) for source in random_letters(12, 8, seed=2) if len(source) > 3]


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (4, 4), (5, 6)])
def test_no_assignment_costs_less(rows, columns):
    chance = np.random.default_rng(rows)
    for whole in (False, True) * 5:
        costs = chance.integers(0, 3, (rows, columns)).astype(float) if whole else chance.random((rows, columns))
        found = assignment(costs)
        assert len(set(found)) == rows
        best = min(costs[range(rows), list(order)].sum() for order in permutations(range(columns), rows))
        assert costs[range(rows), found].sum() == pytest.approx(best)


def test_divergence_by_hand():
    p, q = (
        torch.tensor([[1.0, 0], [0.5, 0.5], [1, 0]]).double(),
        torch.tensor([[0, 1.0], [0.5, 0.5], [0.5, 0.5]]).double(),
    )
    mixed = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) - np.log(2) / 2
    assert jensen_shannon(p, q).tolist() == pytest.approx([np.log(2), 0, mixed])


def test_divergence_of_the_rows_of_a_sentence(exact):
    a, b = exact(), exact(norm="pre")
    pair = corpus_pairs(a, [("a b c", "d e f")])[0]
    found = divergences(a, b, [pair])

    def rows(translator, layer, head):
        weights = record(translator, pair).encoder[layer][head][:3, :3]
        return torch.from_numpy(weights / weights.sum(1, keepdims=True))

    expected = jensen_shannon(rows(a, 1, 2), rows(b, 0, 3)).mean()
    assert found["encoder"].shape == (1, 8, 8)
    assert found["encoder"][0, 6, 3] == pytest.approx(float(expected), abs=1e-9)


def test_heads_in_another_order_are_found(exact):
    a = exact()
    b = exact()
    order = [2, 0, 3, 1]
    attention = b.model.encoder[0].attention
    with torch.no_grad():
        for linear in (attention.query, attention.key):
            for values in (linear.weight, linear.bias):
                values.copy_(values.unflatten(0, (4, -1))[order].flatten(0, 1))
    found = {(each.kind, each.across): each for each in matched_heads(a, b, corpus_pairs(a, TEXTS))}
    assert {kind for kind, _ in found} == {"encoder", "decoder", "cross"}
    matches = found["encoder", False].matches
    assert [(each.a.layer, each.b.layer) for each in matches] == [(0, 0)] * 4 + [(1, 1)] * 4
    first = [each for each in matches if each.a.layer == 0]
    assert [order[each.b.head] for each in first] == [each.a.head for each in first]
    assert max(each.divergence for each in first) < 1e-9
    # Scores are of the other half.
    assert found["encoder", False].sentences == len(TEXTS) - len(TEXTS) // 2
    table = found["encoder", True].to_pandas()
    assert len(table) == 8
    assert table.divergence.mean() == pytest.approx(found["encoder", True].mean)


def test_pairs_of_one_source_count_once(exact):
    a, b = exact(), exact(norm="pre")
    pairs = corpus_pairs(a, TEXTS)
    for once, twice in zip(matched_heads(a, b, pairs), matched_heads(a, b, [*pairs, *pairs]), strict=True):
        assert once.sentences == twice.sentences
        assert (twice.mean, twice.interval) == pytest.approx((once.mean, once.interval), abs=1e-9)
        assert [(each.a, each.b) for each in once.matches] == [(each.a, each.b) for each in twice.matches]
    with pytest.raises(HeadscopeError, match="of 3 sources are too few"):
        matched_heads(a, b, [*pairs[:3], *pairs[:3]])


def test_models_of_different_width_and_depth_can_be_compared(exact):
    a, b = exact(), exact(d_model=32, encoder={"layers": 1, "heads": 2, "feed_forward": 8})
    within, across = matched_heads(a, b, corpus_pairs(a, TEXTS))[:2]
    assert len(within.matches) == len(across.matches) == 2
    assert {each.a.layer for each in within.matches} == {0}


def test_what_cannot_be_matched(exact, translator):
    a = exact()
    pairs = corpus_pairs(a, TEXTS)
    with pytest.raises(HeadscopeError, match="too few"):
        matched_heads(a, a, pairs[:3])
    with pytest.raises(HeadscopeError, match="into other pieces"):
        matched_heads(a, translator, pairs)


def test_nothing_is_said_without_a_null():
    assert Verdict(0.2, ()).outside is None
    assert Verdict(0.2, (0.1, 0.25)).outside is False
    assert Verdict(0.2, (0.1, 0.15)).outside is True
