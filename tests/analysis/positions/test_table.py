"""The table as a checkpoint has it."""

import numpy as np
import pytest

from headscope.analysis.positions.table import position_table
from headscope.model.errors import HeadscopeError
from tests.toys import letter_translator


def test_sinusoids_are_computed_to_any_length():
    found = position_table(letter_translator(), 1500)
    assert found.rows.shape == (1500, 16)
    place = 1400 / 10_000 ** (np.arange(0, 16, 2) / 16)
    np.testing.assert_allclose(found.rows[1400, ::2], np.sin(place), atol=1e-6)
    np.testing.assert_allclose(found.rows[1400, 1::2], np.cos(place), atol=1e-6)
    assert found.trained.all(), "nobody has counted"


def test_learned_rows_end_with_their_table():
    translator = letter_translator(positions="learned", position_table=9)
    found = position_table(translator, 50)
    np.testing.assert_array_equal(found.rows, translator.model.positions.table.detach().numpy())
    assert position_table(translator, 4).rows.shape == (4, 16)
    assert len(found.training.regions["source"]) == 9


@pytest.mark.parametrize("layout", ["halves", "halves_tensor2tensor", "halves_opennmt", "halves_fairseq"])
def test_every_layout_is_the_one_the_checkpoint_adds(layout):
    translator = letter_translator(sinusoid_layout=layout)
    np.testing.assert_array_equal(
        position_table(translator, 6).rows, translator.model.positions.embed(0, 6).double().numpy()
    )


@pytest.mark.parametrize("scheme", ["rotary", "alibi", "shaw", "t5", "none"])
def test_schemes_without_a_table_say_what_they_do_instead(scheme):
    with pytest.raises(HeadscopeError, match=rf"positions \({scheme}\) .*choose a sinusoidal"):
        position_table(letter_translator(positions=scheme), 5)
