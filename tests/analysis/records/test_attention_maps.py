import dataclasses

import numpy as np
import pytest

from headscope.analysis.records.attention_maps import AttentionMaps
from tests.analysis.handmade import END, START, letters, random_maps, tokens


@pytest.fixture
def record() -> AttentionMaps:
    return random_maps(letters(3), letters(2))  # four source tokens, three target rows


def test_tokens():
    found = tokens("ab cd", [(0, 2), (2, 5)], first=START, last=END)
    assert len(found) == 4
    assert [token.piece for token in found.tokens] == ["<s>", "ab", "▁cd", "</s>"]
    assert found.special.tolist() == [True, False, False, True]
    assert found == tokens("ab cd", [(0, 2), (2, 5)], first=START, last=END)


@pytest.mark.parametrize(
    ("kind", "queries", "keys", "shapes"),
    [
        ("encoder", "source", "source", [(3, 4, 4)] * 2),
        ("decoder", "reads", "reads", [(2, 3, 3)] * 3),
        ("cross", "reads", "source", [(2, 3, 4)] * 3),
    ],
)
def test_rows_and_columns_of_each_kind(record, kind, queries, keys, shapes):
    assert record.layers(kind) is getattr(record, kind)
    assert [layer.shape for layer in record.layers(kind)] == shapes
    assert record.queries(kind) is getattr(record, queries)
    assert record.keys(kind) is getattr(record, keys)


def test_record_is_frozen(record):
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.quantity = "difference"


def test_mapped_changes_every_array_and_the_fingerprint(record):
    doubled = record.mapped(lambda kind, layer: layer * (2 if kind == "cross" else 1), "doubled")
    for kind in ("encoder", "decoder", "cross"):
        for before, after in zip(record.layers(kind), doubled.layers(kind), strict=True):
            np.testing.assert_array_equal(after, before * (2 if kind == "cross" else 1))
    assert doubled.fingerprint != record.fingerprint
    assert doubled.source is record.source
    assert doubled.log_probs is record.log_probs


def test_table_has_a_row_for_every_cell(record):
    table = record.to_pandas()
    assert len(table) == sum(layer.size for kind in ("encoder", "decoder", "cross") for layer in record.layers(kind))
    assert list(table.columns) == ["kind", "layer", "head", "query_index", "key_index", "query", "key", "weight"]
    for row in table.sample(50, random_state=0).itertuples():
        assert row.weight == record.layers(row.kind)[row.layer][row.head, row.query_index, row.key_index]
        assert row.query == record.queries(row.kind).tokens[row.query_index].piece
        assert row.key == record.keys(row.kind).tokens[row.key_index].piece


def test_column_is_named_after_the_quantity(record):
    table = dataclasses.replace(record, quantity="contribution").to_pandas()
    assert list(table.columns)[-1] == "contribution"


def test_summary_for_notebooks(record):
    text = repr(record)
    assert "AttentionMaps of weights" in text
    assert "'a b c', 4 tokens" in text
    assert "'a b', 3 tokens" in text
    assert f"{record.log_probs.sum():.3f} nats" in text
    assert "cross    3 layers of 2 × 3 × 4" in text


def test_summary_of_layers_that_differ():
    shapes = [np.ones((heads, 2, 2)) for heads in (1, 3)]
    record = random_maps(letters(1), letters(1))
    record = dataclasses.replace(record, maps={**record.maps, "encoder": tuple(shapes)})
    assert "encoder  2 layers of 1 × 2 × 2, 3 × 2 × 2" in repr(record)
