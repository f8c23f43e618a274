"""One weight set to a value."""

import math

import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import found_pair, sentence_pair
from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.weights import WeightSet, require_cell
from headscope.analysis.records.heads import Cell, Head, site_of
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe, Probes
from headscope.model.search.settings import SearchSettings

CELLS = (
    Cell(Head("encoder", 1, 3), 2, 0),
    Cell(Head("decoder", 0, 1), 3, 1),
    Cell(Head("cross", 1, 0), 0, 4),
    Cell(Head("cross", 2, 1), 2, 1),
)


class Shifted(Probe):
    """Adds a number to one score: the same weights, by way of the softmax."""

    def __init__(self, model, cell: Cell, by: float) -> None:
        self._site, self._cell, self._by = site_of(model, cell.head), cell, by

    def wants(self, site):
        return site == self._site

    def scores(self, site, scores):
        scores = scores.clone()
        scores[:, self._cell.head.head, self._cell.query, self._cell.key] += self._by
        return scores


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_the_rest_of_the_row_is_what_the_softmax_makes_of_another_score(exact, cell):
    translator = exact()
    config, pair = translator.model.config, sentence_pair(translator, "a b c d", "e f g h")
    kind, layer, head = cell.head
    was = record(translator, pair).layers(kind)[layer][head][cell.query, cell.key]
    by = math.log(0.75 * (1 - was) / (was * 0.25))

    def read(probe: Probe) -> torch.Tensor:
        with torch.inference_mode():
            return log_probs(translator.model, forced_batch(translator, [pair]), probe=probe)

    found = read(WeightSet(config, cell, 0.75))
    torch.testing.assert_close(found, read(Shifted(config, cell, by)), atol=1e-9, rtol=0)
    assert not torch.allclose(found, read(Probe()))


@pytest.mark.parametrize("weight", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_one_row_changes_and_sums_to_one(exact, cell, weight):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f g h")
    probe = WeightSet(translator.model.config, cell, weight)
    kind, layer, head = cell.head
    before, after = (record(translator, pair, probe=given) for given in (None, probe))
    expected = before.layers(kind)[layer].copy()
    row = expected[head, cell.query]
    row *= (1 - weight) / (1 - row[cell.key])
    row[cell.key] = weight
    np.testing.assert_allclose(after.layers(kind)[layer], expected, atol=1e-9)
    np.testing.assert_allclose(after.layers(kind)[layer].sum(-1), 1, atol=1e-9)
    for earlier in range(layer):
        np.testing.assert_array_equal(after.layers(kind)[earlier], before.layers(kind)[earlier])


def test_a_row_that_rests_on_one_key_is_shared_out_evenly(exact):
    class Peak(Probe):
        """All of a row on one key."""

        def wants(self, site):
            return site == site_of(translator.model, cell.head)

        def scores(self, site, scores):
            return torch.where(torch.arange(scores.shape[-1]) == cell.key, scores, scores - 1e9)

    translator, cell = exact(), Cell(Head("decoder", 0, 1), 3, 1)
    pair = sentence_pair(translator, "a b", "e f g h")
    probe = Probes(Peak(), WeightSet(translator.model.config, cell, 0.4))
    maps = record(translator, pair, probe=probe)
    np.testing.assert_allclose(maps.decoder[0][1][3], [0.2, 0.4, 0.2, 0.2, 0], atol=1e-9)


@pytest.mark.parametrize("beam", [1, 3])
def test_a_search_changes_the_step_that_is_this_query(exact, beam):
    translator = exact()
    settings = SearchSettings(beam=beam, extra_length=6)
    for cell in CELLS:
        probe = WeightSet(translator.model.config, cell, 0.9)
        found = what_if(translator, "a b c d", probe, settings=settings)
        again = record(translator, found_pair(found.after), probe=probe)
        searched = found.after.hypotheses[0].log_probs
        np.testing.assert_allclose(again.log_probs, searched, atol=1e-9)


def test_what_cannot_be_set_is_refused(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c", "e f")
    maps = record(translator, pair)
    require_cell(maps, Cell(Head("decoder", 0, 0), 2, 1))
    for cell, words in (
        (Cell(Head("cross", 0, 0), 3, 0), "row 4, column 1: this map has 3 rows and 4 columns"),
        (Cell(Head("decoder", 0, 0), 1, 2), "row 2 may not look at column 3"),
        (Cell(Head("decoder", 0, 0), 0, 0), "one key alone"),
    ):
        with pytest.raises(HeadscopeError, match=words):
            require_cell(maps, cell)
    with pytest.raises(HeadscopeError, match="choose one from 0 to 1"):
        WeightSet(translator.model.config, CELLS[0], 1.5)
    with pytest.raises(HeadscopeError, match="there is no head"):
        WeightSet(translator.model.config, Cell(Head("cross", 9, 0), 0, 0), 0.5)
