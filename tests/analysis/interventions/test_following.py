"""Place or word."""

import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.following import followed
from headscope.analysis.interventions.positions import Shifted, exchanged, moved, repeated
from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.heads import Head
from headscope.model.sites import KINDS
from tests.toys import letter_translator

SIZE = 5
TOKENS = Tokens("x" * SIZE, tuple(Token("x", 5, (at, at + 1)) for at in range(SIZE)))
CAUSAL = np.tril(np.ones((SIZE, SIZE), bool))


def rows_of(values):
    return values / values.sum(-1, keepdims=True)


def record_of(kind, *heads) -> AttentionMaps:
    maps = {each: (np.stack(heads),) for each in KINDS if each == kind}
    allowed = {kind: CAUSAL if kind == "decoder" else np.ones((SIZE, SIZE), bool)}
    return AttentionMaps(maps, allowed, TOKENS, TOKENS, TOKENS, np.zeros(SIZE), "weight", "made")


@pytest.fixture
def weights():
    return rows_of(np.random.default_rng(0).random((SIZE, SIZE)) ** 3)


@pytest.mark.parametrize("change", [exchanged(1, 3, "source"), moved(0, 3, "source")])
def test_heads_that_go_by_one_alone(weights, change):
    places = change.place(torch.arange(SIZE)).tolist()
    by_place = weights[places][:, places]
    between = (weights + by_place) / 2
    found = followed(
        record_of("encoder", *[weights] * 3), record_of("encoder", weights, by_place, between), change, "encoder"
    )
    assert list(found.values()) == pytest.approx([-1, 1, 0], abs=1e-12)
    assert list(found) == [Head("encoder", 0, head) for head in range(3)]


def test_in_cross_attention_the_columns_of_the_source_or_the_rows_of_the_target(weights):
    order = [0, 3, 2, 1, 4]
    before = record_of("cross", weights)
    for change, after in (("source", weights[:, order]), ("target", weights[order])):
        (value,) = followed(before, record_of("cross", after), exchanged(1, 3, change), "cross").values()
        assert value == pytest.approx(1)


def test_a_decoder_looks_at_what_it_may(weights):
    before = rows_of(weights * CAUSAL)
    asked = before[[0, 2, 1, 3, 4]][:, [0, 2, 1, 3, 4]] * CAUSAL
    after = rows_of(asked)
    (value,) = followed(
        record_of("decoder", before), record_of("decoder", after), exchanged(1, 2, "target"), "decoder"
    ).values()
    assert value == pytest.approx(1)


def test_where_nothing_can_be_told(weights):
    before, even = record_of("encoder", weights), record_of("encoder", np.full((SIZE, SIZE), 0.2))
    assert followed(even, even, exchanged(1, 3, "source"), "encoder") == {}
    for change in (repeated(1, 3, "source"), Shifted(2)):
        assert followed(before, before, change, "encoder") == {}
    assert followed(before, before, exchanged(1, 3, "target"), "encoder") == {}


def test_an_encoder_without_positions_follows_words():
    plain = letter_translator(positions="none")
    pair = sentence_pair(plain, "a b c d e f")
    change = exchanged(0, 4, "source")
    before, after = (record(plain, pair, probe=probe) for probe in (None, change))
    found = followed(before, after, change, "encoder")
    assert found
    assert set(found.values()) == {-1}
