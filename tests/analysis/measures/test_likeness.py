"""Heads that look where another one looks."""

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.likeness import likeness
from headscope.analysis.records.heads import Head, all_heads


def shared(a: list[float], b: list[float]) -> float:
    return sum(min(pair) for pair in zip(a, b, strict=True))


def column_means(rows: list[list[float]]) -> list[float]:
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("head", [Head("cross", 1, 0), Head("encoder", 0, 2), Head("decoder", 2, 1)], ids=str)
def test_every_head_of_the_same_keys_by_hand(translator, head):
    maps = attention_maps(translator, "How much does a ticket cost?")

    def rows(of: Head) -> list[list[float]]:
        return maps.layers(of.kind)[of.layer][of.head].tolist()

    found = likeness(maps, head)
    kinds = {"decoder"} if head.kind == "decoder" else {"encoder", "cross"}
    assert set(found) == {other for other in all_heads(translator.model.config) if other.kind in kinds} - {head}
    own = rows(head)
    for other, value in found.items():
        if other.kind == head.kind:
            expected = sum(map(shared, rows(other), own)) / len(own)
        else:
            expected = shared(column_means(rows(other)), column_means(own))
        assert value == pytest.approx(expected, abs=1e-6)
        assert 0 < value <= 1


def test_it_is_mutual(translator):
    maps = attention_maps(translator, "How much does a ticket cost?")
    one, other = Head("cross", 0, 0), Head("encoder", 1, 1)
    assert likeness(maps, one)[other] == pytest.approx(likeness(maps, other)[one])
