"""Maps of attributions, patches and contributions: whose numbers stand where."""

import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.contributions import layer_contributions
from headscope.analysis.attribution.patching import patching
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.wire.attribution_charts import OWN, attribution_charts, contribution_charts, patching_charts

SOURCE = "We could not see the mountains."
TARGETS = ("Wir konnten die Berge nicht sehen.", "Wir konnten den Fluss nicht sehen.")


def test_an_attribution(translator):
    found = attribute(translator, sentence_pair(translator, SOURCE, TARGETS[0]), "occlusion")
    source, written = attribution_charts(found, signed=True, unit="nats")
    assert source.grid
    assert written.grid
    np.testing.assert_array_equal(source.grid.values, found.reduced()[0])
    np.testing.assert_array_equal(written.grid.values, found.reduced()[1])
    assert source.grid.most == written.grid.most == max(np.abs(each).max() for each in found.reduced())
    assert (len(source.y.names), len(source.x.names)) == source.grid.values.shape
    assert (len(written.y.names), len(written.x.names)) == written.grid.values.shape
    assert source.grid.what == "occlusion, nats"


def test_patches(translator):
    found = patching(translator, SOURCE, "We could not see the river.", TARGETS)
    source, prefix, *heads = patching_charts(found)
    assert source.grid
    np.testing.assert_array_equal(source.grid.values, found.grid("source"))
    assert source.y.names[:3] == ("embeddings", "1 self-attention", "1 feed-forward")
    assert prefix.y.names[:4] == ("embeddings", "1 self-attention", "1 cross-attention", "1 feed-forward")
    assert (len(source.y.names), len(source.x.names)) == source.grid.values.shape
    assert [chart.grid.values.shape for chart in heads if chart.grid] == [each.shape for each in found.heads.values()]
    assert len({chart.grid.most for chart in (source, prefix, *heads) if chart.grid}) == 1


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_contributions(translator, kind):
    found = layer_contributions(translator, sentence_pair(translator, SOURCE, TARGETS[0]))
    charts = contribution_charts(found, kind)
    assert len(charts) == len(found.layers(kind))
    for layer, (chart, norms) in enumerate(zip(charts, found.layers(kind), strict=True)):
        assert chart.grid
        assert (len(chart.y.names), len(chart.x.names)) == chart.grid.values.shape
        np.testing.assert_array_equal(chart.grid.values[:, : norms.shape[1]], norms)
        if kind == "cross":
            assert chart.x.names[-1] == OWN
            np.testing.assert_array_equal(chart.grid.values[:, -1], found.own[layer])
