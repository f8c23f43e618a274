"""Tables of positions, and which of the known ones they are."""

from pathlib import Path
from typing import get_args

import pytest
import torch

from headscope.model.config import SinusoidLayout
from headscope.model.errors import HeadscopeError
from headscope.model.interop.positions import position_fields, sinusoid_layout
from headscope.model.network.positions import sinusoid_table

PATH = Path("m.bin")


@pytest.mark.parametrize("layout", get_args(SinusoidLayout))
def test_every_layout_is_known_again_in_any_precision(layout: SinusoidLayout):
    table = sinusoid_table(64, 16, layout)
    assert sinusoid_layout(table) == sinusoid_layout(table.half()) == layout
    assert position_fields(table, table, PATH) == {"positions": "sinusoidal", "sinusoid_layout": layout}


def test_what_is_no_table_of_sinusoids():
    table = sinusoid_table(64, 16, "halves")
    for other in (table + 0.01, table[:, :15], table[0], table.roll(1, 0)):
        assert sinusoid_layout(other) is None


def test_other_tables_are_learned_ones_of_their_length():
    table = torch.linspace(0, 1, 48).view(12, 4)
    assert position_fields(table, table.clone(), PATH) == {"positions": "learned", "position_table": 12}


def test_both_sides_have_to_share_one():
    table = torch.ones(12, 4)
    for encoder, decoder in ((table, table + 1), (table, table[:9]), (table[0], table[0])):
        with pytest.raises(HeadscopeError, match=r"m\.bin: encoder and decoder have different tables"):
            position_fields(encoder, decoder, PATH)
