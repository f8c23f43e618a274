"""Parameters under the names of other toolkits."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.interop.fairseq_import import _names
from headscope.model.interop.naming import bart_names, our_weights, shapes, their_name, tie
from tests.toys import tiny_config, tiny_model


def test_ours_in_their_names_and_back():
    """Nothing of a model is left out: parameters of all kinds have a name of theirs."""
    model = tiny_model(norm="pre", share_source_target=False, share_output=False)
    theirs = [their_name(name, _names()) for name, _ in model.named_parameters()]
    assert len(set(theirs)) == len(theirs)


def test_names_of_modules_and_of_single_parameters():
    names = bart_names("model.") | {"projection.bias": "final_logits_bias"}
    for ours, theirs in (
        ("encoder.0.attention.query.weight", "model.encoder.layers.0.self_attn.q_proj.weight"),
        ("decoder.12.cross.output.bias", "model.decoder.layers.12.encoder_attn.out_proj.bias"),
        ("decoder.1.feed_forward_residual.norm.weight", "model.decoder.layers.1.final_layer_norm.weight"),
        ("projection.bias", "final_logits_bias"),
    ):
        assert their_name(ours, names) == theirs


def renamed() -> dict[str, Tensor]:
    """The parameters of a small model under names of their own, in half precision."""
    return {f"their {name}": torch.full(shape, 0.5, dtype=torch.float16) for name, shape in shapes(CONFIG).items()}


CONFIG = tiny_config()
NAMES = {name: f"their {name}" for name in shapes(CONFIG)}
ONE = "their encoder.1.attention.query.weight"
PATH = Path("weights.bin")


def test_weights_become_ours_in_float32():
    found = our_weights(renamed(), CONFIG, NAMES, PATH)
    assert {name: weights.shape for name, weights in found.items()} == shapes(CONFIG)
    assert {weights.dtype for weights in found.values()} == {torch.float32}
    assert {float(weights.min()) for weights in found.values()} == {0.5}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({ONE: None}, rf"weights\.bin lacks the tensor '{ONE}'"),
        ({ONE: torch.ones(16, 3)}, r"has the shape \[16, 3\], but the configuration asks for \[16, 16\]"),
        ({ONE: torch.full((16, 16), 1e300, dtype=torch.float64)}, "not finite in float32"),
        ({"more": torch.ones(1)}, "holds the tensor 'more', for which a model of this kind has no place"),
    ],
)
def test_weights_of_another_model(changes: dict[str, Tensor | None], message: str):
    tensors = {name: tensor for name, tensor in (renamed() | changes).items() if tensor is not None}
    with pytest.raises(HeadscopeError, match=message):
        our_weights(tensors, CONFIG, NAMES, PATH)


def test_tables_are_tied_where_they_are_one():
    table, other = torch.ones(2, 2), torch.zeros(2, 2)
    tensors = {"b": table, "c": table.clone(), "x": other}
    assert tie(tensors, ["a", "b", "c"], PATH, "a setting").keys() == {"b", "x"}
    with pytest.raises(HeadscopeError, match=r"weights\.bin: 'b' and 'x' differ, although a setting makes them one"):
        tie(tensors, ["b", "x"], PATH, "a setting")
