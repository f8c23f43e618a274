"""Heads and numbers in the address."""

import pytest

from headscope.analysis.records.heads import Head
from headscope.app.view.spelling import read_heads, read_numbers, read_pin, spell_heads, spell_numbers, spell_pin
from headscope.app.wire.strip import Pin


def test_numbers_count_from_one_sorted_and_each_once():
    assert read_numbers("3,1,3") == (0, 2)
    assert spell_numbers((0, 2)) == "1,3"
    assert spell_numbers(()) is None
    with pytest.raises(ValueError, match="0"):
        read_numbers("0")


def test_heads_are_sorted_and_each_once():
    heads = (Head("cross", 2, 0), Head("encoder", 0, 1))
    assert read_heads("encoder.1.2,cross.3.1,encoder.1.2") == heads
    assert spell_heads(heads) == "cross.3.1,encoder.1.2"
    assert read_heads("") == ()
    with pytest.raises(ValueError, match=r"cross\.0\.1"):
        read_heads("cross.0.1")


def test_a_token_counts_from_one():
    assert read_pin("output.4") == Pin("output", 3)
    assert spell_pin(Pin("output", 3)) == "output.4"
    for text in ("left.1", "source.0", "source"):
        with pytest.raises(ValueError):  # noqa: PT011
            read_pin(text)
