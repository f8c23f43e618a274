"""What goes to the line view."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.records.links import SHARE
from headscope.app.view.shown import with_special
from headscope.app.view.state import KINDS, View
from headscope.app.wire.encoding import as_message
from headscope.app.wire.head_map import head_map
from headscope.app.wire.lines import lines

VIEW = View("toy", "My neighbour keeps bees and gives us honey.")


@pytest.fixture(scope="module")
def maps(translator):
    return attention_maps(translator, VIEW.source)


@pytest.mark.parametrize("kind", KINDS)
def test_the_links_drawn_make_up_70_percent_of_each_row(maps, kind):
    data = as_message(lines(with_special(maps, VIEW), kind, 1, [0, 1]))
    assert [head["head"] for head in data["heads"]] == [0, 1]
    assert "70%" in data["drawn"]
    count = 0
    for head in data["heads"]:
        links, weights = head["links"], maps.layers(kind)[1][head["head"]]
        count += len(links["rows"])
        sums = np.bincount(links["rows"], links["weights"], minlength=len(weights))
        assert (sums >= SHARE - 1e-3).all()
        np.testing.assert_allclose(links["weights"], weights[links["rows"], links["columns"]], rtol=1e-3)
        assert head["hidden"] is None
    assert f" {count:,} of {2 * weights.size:,}." in data["drawn"]


def test_hidden_symbols_have_no_links_and_their_mass_is_stated(maps):
    data = as_message(lines(with_special(maps, replace(VIEW, special="hidden")), "cross", 0, [1]))
    end = len(maps.source) - 1
    assert end not in data["heads"][0]["links"]["columns"]
    np.testing.assert_allclose(data["heads"][0]["hidden"], maps.cross[0][1][:, end], atol=1e-4)
    matrix = head_map(with_special(maps, replace(VIEW, special="hidden")), "cross", 0, 1)
    assert matrix.hidden == data["heads"][0]["hidden"]


def test_contributions_have_a_scale_of_their_own(translator):
    found = head_contributions(translator, sentence_pair(translator, VIEW.source))
    shown = with_special(found, VIEW)
    for message in (head_map(shown, "cross", 2, 0), lines(shown, "cross", 2, [0])):
        assert message.most == pytest.approx(found.cross[2].max())
        assert message.quantity == "contribution"
