"""A record as it is shown, and what became of it."""

import numpy as np
import pytest

from headscope.analysis.records.special_tokens import hide_special
from headscope.app.wire.shown import Shown, changed
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import letters, random_maps


def hidden(seed: int) -> Shown:
    found = hide_special(random_maps(letters(3), letters(2), seed=seed))
    return Shown(found.maps, dict(found.masses))


def test_what_changed_is_the_difference_of_what_is_shown():
    after, before = hidden(0), hidden(1)
    found = changed(after, before)
    np.testing.assert_allclose(found.maps.cross[1], after.maps.cross[1] - before.maps.cross[1])
    assert not found.maps.cross[1][:, :, -1].any(), "the end symbol stays hidden"
    assert found.row_masses("cross", 1, 0) == pytest.approx(
        after.hidden["cross"][1][0] - before.hidden["cross"][1][0], abs=1e-4
    )
    assert found.most("cross", 1) == abs(found.maps.cross[1]).max()
    plain = changed(Shown(after.maps, None), Shown(before.maps, None))
    assert plain.hidden is None


def test_other_tokens_are_refused():
    with pytest.raises(HeadscopeError, match="can be subtracted"):
        changed(hidden(0), Shown(random_maps(letters(4), letters(2)), None))
