"""Attention in the quantity that is asked for."""

import numpy as np
import pytest

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.attribution.quantities import attention_of, attention_of_pair
from headscope.analysis.capture.attention import attention_maps, record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.heads import Head
from headscope.analysis.records.words import words
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


def alike(found, expected):
    assert (found.quantity, found.predicts) == (expected.quantity, expected.predicts)
    for ours, theirs in zip(found.layers("cross"), expected.layers("cross"), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_weights(translator):
    alike(attention_of(translator, SOURCE), attention_maps(translator, SOURCE))
    given = attention_maps(translator, SOURCE, "Wie viel?")
    alike(attention_of(translator, SOURCE, "Wie viel?", joined=True), words(given))


def test_weights_with_something_done_to_the_model(translator):
    pair = sentence_pair(translator, SOURCE)
    probe = Zeroed(translator.model.config, [Head("cross", 1, 0)])
    expected = record(translator, pair, probe=probe)
    alike(attention_of_pair(translator, pair, probe=probe), expected)
    alike(attention_of_pair(translator, pair, probe=probe, joined=True), words(expected))


def test_contributions(translator):
    settings = SearchSettings(beam=1)
    expected = head_contributions(translator, sentence_pair(translator, SOURCE, settings=settings))
    alike(attention_of(translator, SOURCE, quantity="contribution", settings=settings), expected)


def test_no_quantity_of_a_sentence(translator):
    with pytest.raises(HeadscopeError, match="'difference' cannot be recorded"):
        attention_of(translator, SOURCE, quantity="difference")
