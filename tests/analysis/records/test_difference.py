import dataclasses

import numpy as np
import pytest

from headscope.analysis.records.difference import difference
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import letters, random_maps


def test_every_cell_is_after_minus_before():
    before, after = (random_maps(letters(3), letters(2), seed=seed) for seed in (0, 1))
    found = difference(after, before)
    assert found.quantity == "difference"
    assert (found.source, found.reads, found.predicts) == (before.source, before.reads, before.predicts)
    np.testing.assert_allclose(found.log_probs, after.log_probs - before.log_probs, atol=1e-12)
    for kind in before.maps:
        for layers in zip(found.layers(kind), after.layers(kind), before.layers(kind), strict=True):
            np.testing.assert_allclose(layers[0], layers[1] - layers[2], atol=1e-12)
            assert layers[0].min() < 0 < layers[0].max()
        np.testing.assert_array_equal(found.allowed[kind], before.allowed[kind])
    assert found.fingerprint not in (before.fingerprint, after.fingerprint)
    assert "difference" in found.to_pandas().columns


@pytest.mark.parametrize(
    "other",
    [
        random_maps(letters(4), letters(2)),
        random_maps(letters(3), letters(1)),
        random_maps(letters(3), letters(2), encoder=(2, 4)),
        random_maps(letters(3), letters(2), decoder=(2, 2)),
        dataclasses.replace(random_maps(letters(3), letters(2)), quantity="contribution"),
    ],
    ids=["source", "target", "heads", "layers", "quantity"],
)
def test_records_that_do_not_fit_are_refused(other):
    with pytest.raises(HeadscopeError, match="can be subtracted"):
        difference(random_maps(letters(3), letters(2)), other)
