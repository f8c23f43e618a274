"""What a model is made of, in words."""

from typing import get_args

import pytest

from headscope.app.wire.described import architecture, plain
from headscope.model.config import Positions
from tests.toys import tiny_config


def test_the_architecture_in_words():
    rows = architecture(tiny_config())
    assert rows["encoder"] == "2 layers, 4 heads, feed-forward 24"
    assert (rows["width"], rows["vocabulary"]) == ("16", "12 joint")
    assert (rows["positions"], rows["output table"]) == ("sinusoidal, interleaved", "shared with the target embedding")
    assert rows["dropout"] == "0.1 (attention 0, activation 0)"
    changes = {"share_source_target": False, "target_vocabulary": 1234, "share_output": False}
    rows = architecture(tiny_config(**changes, positions="learned", position_table=2048, norm="pre"))
    assert (rows["vocabulary"], rows["output table"]) == ("12 source, 1,234 target", "its own")
    assert (rows["positions"], rows["layer norm"]) == ("learned, 2,048 at most", "pre, epsilon 1e-05")


def test_attention_in_words():
    assert architecture(tiny_config())["attention"] == "scaled dot products"
    kinds = {"encoder": {"pattern": "positional", "offsets": [-1, 0, 1]}, "cross": {"pattern": "uniform"}}
    kinds["decoder"] = {"score": "additive", "temperature": 0.5}
    assert architecture(tiny_config(attention=kinds, key_size=8))["attention"] == (
        "encoder self-attention: at -1, 0, +1; decoder self-attention: additive, temperature 0.5; "
        "cross-attention: uniform; d_k 8"
    )
    assert "no causal mask" in architecture(tiny_config(attention={"causal": False}))["attention"]


@pytest.mark.parametrize("name", get_args(Positions))
def test_every_position_scheme_has_its_words(name):
    assert architecture(tiny_config(positions=name))["positions"].lower().startswith((name, "relative"))


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({"bleu": {"score": 30.1, "interval": 0.5, "signature": "x"}}, "bleu 30.1 ± 0.5"),
        ([{"a": 1, "b": [2, "c"]}, 0.1234567], "a 1, b 2; c; 0.123457"),
        (None, "None"),
    ],
)
def test_a_value_in_one_line(value, line):
    assert plain(value) == line
