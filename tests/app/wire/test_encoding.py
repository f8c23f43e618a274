"""What goes to the browser as plain values."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.analysis.records.labels import labels
from headscope.app.wire.encoding import as_json, as_message, weights


def test_labels_and_weights_are_plain():
    data = {
        "labels": labels(Tokens("a", (Token("▁a", 4, (0, 1)),))),
        "weights": weights(np.array([[0.5, np.float32(0.1)]])),
    }
    plain = json.loads(as_json(data))
    label = {"mark": "▁", "text": "a", "full": "▁a", "part": 1, "parts": 1, "special": False}
    assert plain == {"labels": [label], "weights": data["weights"]}


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(TypeError):
        as_json({"index": np.int64(1)})
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"weight": float("nan")})


@dataclass(frozen=True)
class Inner:
    index: int


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    none: Inner | None


def test_dataclasses_inside_one_another_become_objects():
    assert as_message(Outer((Inner(1), Inner(2)), None)) == {"inner": [{"index": 1}, {"index": 2}], "none": None}
