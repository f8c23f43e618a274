"""Figures for print, and their letters."""

import warnings

import numpy as np
import pytest

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.heads import Head
from headscope.app.export.figure import draw, figure, missing_letters
from headscope.model.sites import KINDS

HEAD = Head("cross", 0, 0)
UNKNOWN = "\U0001f9ff"
"""An emoji: fonts have it as a colour bitmap, if at all."""


def maps(*pieces: str) -> AttentionMaps:
    text = "".join(pieces)
    tokens = Tokens(text, tuple(Token(piece, 5 + at, (at, at + 1)) for at, piece in enumerate(pieces)))
    weights = dict.fromkeys(KINDS, (np.eye(len(pieces), dtype=np.float32)[None],))
    return AttentionMaps(weights, {}, tokens, tokens, tokens, np.zeros(len(pieces)), "weight", "f")


def texts(drawn) -> list[str]:
    axes = drawn.axes[0]
    return [label.get_text() for label in axes.get_xticklabels()]


def test_tokens_stand_as_they_are():
    pieces = ("▁the", "▁the", "</s>", "$x$", "&amp;", "<b>", "_{2}", "שלום")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = draw(maps(*pieces), HEAD, "caption $y$")
        svg = figure(maps(*pieces), HEAD, "caption $y$", "svg").decode()
    assert texts(drawn) == list(pieces)
    assert drawn.axes[0].get_yticklabels()[2].get_text() == "</s> → </s>"
    assert "<b>" not in svg


def test_letters_without_a_font_are_said_and_not_drawn_as_boxes():
    record = maps("▁the", f"a{UNKNOWN}")
    assert "U+1F9FF" in missing_letters(record, HEAD, "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = draw(record, HEAD, "caption")
        figure(record, HEAD, "caption", "png")
    assert texts(drawn)[1] == "a‹1F9FF›"
    assert "No installed font has U+1F9FF" in drawn.get_supxlabel().replace("\n", " ")
    assert missing_letters(maps("▁the"), HEAD, "ä") == ""


@pytest.mark.parametrize("pieces", [1, 130])
def test_any_size(pieces):
    assert figure(maps(*["x"] * pieces), HEAD, "caption", "pdf").startswith(b"%PDF")
