"""An attribution as JSON and as lines."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.attribution import Attribution, Settings
from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.app.export.attribution import attribution_lines, attribution_object, incomplete


def tokens(*pieces: str) -> Tokens:
    return Tokens("", tuple(Token(piece, 0, (0, 0)) for piece in pieces))


FOUND = Attribution(
    tokens("a", "b"),
    tokens("<s>", "x"),
    tokens("x", "y"),
    np.array([[[2.0], [0.0]], [[0.0], [0.0]]]),
    np.array([[[-1.0], [0.0]], [[0.0], [0.0]]]),
    np.array([1.5, -3.0]),
    np.array([0.5, -3.0]),
    Settings("by hand", "value", "zero", 7),
)


def test_numbers_and_what_has_none():
    content = attribution_object(FOUND, "sum")
    assert content["from_source"] == [[2.0, 0.0], [0.0, 0.0]]
    assert content["from_target"] == [[-1.0, 0.0], [0.0, 0.0]]
    assert content["source_share"] == [pytest.approx(2 / 3), None]
    assert content["completeness_error"] == [0.0, 0.0]
    assert (content["baseline"], content["steps"]) == ("zero", 7)
    assert attribution_object(FOUND, "norm")["from_target"][0] == [1.0, 0.0]


def test_lines():
    _, first, second = attribution_lines(FOUND, "sum")
    assert first.split() == ["x", "1.500", "67%", "a", "+2.000", "<s>", "(read)", "-1.000"]
    assert second.split() == ["y", "-3.000", "–"]


def test_what_is_warned_of():
    assert incomplete(FOUND) == ""
    assert incomplete(replace(FOUND, at_baseline=None)) == ""
    assert "of 2 rows, 1 miss" in incomplete(replace(FOUND, at_baseline=np.array([0.0, -3.0])))
