import numpy as np
import pandas as pd

from headscope.analysis.interventions.effects import Effect
from headscope.analysis.records.table import Table
from tests.analysis.handmade import random_maps, tokens

HOSTILE = '</td><script>alert(1)</script>"&amp;'


def test_a_notebook_shows_the_table_with_tokens_as_text():
    predicts = tokens(HOSTILE, [(0, len(HOSTILE))])
    shown = Effect(predicts, np.zeros(1), np.ones(1))._repr_html_()
    assert shown is not None
    assert "<script" not in shown
    assert "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "&amp;amp;" in shown


def test_a_table_switched_off_in_pandas_is_off():
    assert isinstance(Effect(tokens("a", [(0, 1)]), np.zeros(1), np.ones(1)), Table)
    with pd.option_context("display.notebook_repr_html", False):
        assert Effect(tokens("a", [(0, 1)]), np.zeros(1), np.ones(1))._repr_html_() is None


def test_a_record_shows_itself_in_few_lines_and_makes_no_html():
    maps = random_maps((HOSTILE, [(0, len(HOSTILE))]), ("ein Hund", [(0, 3), (3, 8)]))
    assert not hasattr(maps, "_repr_html_")
    assert repr(maps).splitlines() == [
        "AttentionMaps of weights",
        f"  source   {HOSTILE!r}, 2 tokens",
        f"  target   'ein Hund', 3 tokens, {maps.log_probs.sum():.3f} nats",
        "  encoder  2 layers of 3 × 2 × 2",
        "  decoder  3 layers of 2 × 3 × 3",
        "  cross    3 layers of 2 × 3 × 2",
    ]


def test_every_cell_of_a_record_is_a_row():
    maps = random_maps(("a a", [(0, 1), (1, 3)]), ("b", [(0, 1)]))
    table = maps.to_pandas()
    assert list(table.columns) == [
        "kind", "layer", "head", "query_index", "key_index", "query", "key", "weight",
    ]  # fmt: skip
    assert len(table) == sum(layer.size for kind in ("encoder", "decoder", "cross") for layer in maps.layers(kind))
    cell = table.query("kind == 'cross' and layer == 2 and head == 1 and query_index == 1 and key_index == 0")
    assert cell[["query", "key", "weight"]].to_numpy().tolist() == [["b", "a", maps.cross[2][1, 1, 0]]]
    assert table.query("kind == 'encoder' and layer == 0 and head == 0 and query_index == 0").key.tolist() == [
        "a", "▁a", "</s>",
    ]  # fmt: skip
