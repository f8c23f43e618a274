import numpy as np

from headscope.analysis.records.special_tokens import hide_special, renormalised
from tests.analysis.handmade import letters, random_maps, with_maps


def test_what_is_hidden_is_stated():
    cross = np.array([[0.2, 0.0, 0.8], [0.5, 0.4, 0.1]])
    hidden = hide_special(with_maps(cross=cross))
    np.testing.assert_allclose(hidden.mass("cross")[0], [[0.8, 0.1]])
    np.testing.assert_allclose(hidden.maps.cross[0], [[[0.2, 0.0, 0.0], [0.5, 0.4, 0.0]]])
    np.testing.assert_allclose(renormalised(hidden).maps.cross[0], [[[1.0, 0.0, 0.0], [5 / 9, 4 / 9, 0.0]]])
    np.testing.assert_allclose(renormalised(hidden).mass("cross")[0], [[0.8, 0.1]])


def test_a_row_of_which_all_is_hidden_stays_zero():
    hidden = hide_special(with_maps(decoder=np.array([[1.0, 0.0], [0.25, 0.75]])))
    np.testing.assert_allclose(hidden.mass("decoder")[0], [[1.0, 0.25]])
    np.testing.assert_array_equal(renormalised(hidden).maps.decoder[0], [[[0.0, 0.0], [0.0, 1.0]]])


def test_every_layer_of_every_kind_adds_up():
    maps = random_maps(letters(4), letters(2))
    hidden = hide_special(maps)
    for kind in ("encoder", "decoder", "cross"):
        for shown, mass, even in zip(
            hidden.maps.layers(kind), hidden.mass(kind), renormalised(hidden).maps.layers(kind), strict=True
        ):
            np.testing.assert_allclose(shown.sum(-1) + mass, 1)
            np.testing.assert_allclose(even.sum(-1), np.where(mass < 1, 1, 0))
    assert len({maps.fingerprint, hidden.maps.fingerprint, renormalised(hidden).maps.fingerprint}) == 3
