"""The parts of a model."""

import pytest

from headscope.model.network.parts import PARTS, by_part
from tests.toys import tiny_model


@pytest.mark.parametrize("shared", [True, False])
def test_every_parameter_belongs_to_a_part(shared):
    changes = {} if shared else {"share_output": False, "positions": "learned", "norm": "pre"}
    model = tiny_model(**changes)
    parts = by_part({name: parameter.numel() for name, parameter in model.named_parameters()})
    total = parts.pop("total")
    assert total == sum(parameter.numel() for parameter in model.parameters()) == sum(parts.values())
    assert list(parts) == [part for part in PARTS if not shared or part in ("embeddings", "encoder", "decoder")]
    assert parts["embeddings"] == 12 * 16
