"""Likeness of layers, as maps."""

import numpy as np

from headscope.analysis.comparison.cka import LayerCka
from headscope.app.wire.cka_charts import layer_charts


def test_a_map_a_stack():
    found = LayerCka(("x", "y"), np.ones((2, 3)), np.full((2, 2), -0.2), (30, 40), 5, "pieces")
    encoder, decoder = layer_charts(("A", "C"), found)
    assert encoder.title == "Encoder: A and C"
    assert (encoder.y.names, encoder.x.names) == (("embedding", "1"), ("embedding", "1", "2"))
    assert not encoder.grid.signed
    assert decoder.grid.signed
    assert decoder.grid.most == 1
