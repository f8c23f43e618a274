"""One sentence in several models."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import found_pair
from headscope.analysis.comparison.naming import read_side
from headscope.analysis.comparison.sides import with_change
from headscope.analysis.comparison.translations import (
    compared_translations,
    forced_maps,
    together,
)
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import random_maps

SOURCE = "The old house by the river."


def maps_of(target: str):
    """A record of a translation, each word a piece."""
    spans, start = [], 0
    for word in target.split(" "):
        spans.append((max(0, start - 1), start + len(word)))
        start += len(word) + 1
    return random_maps(("a b", [(0, 1), (1, 3)]), (target, spans))


def test_words_are_marked_where_they_have_no_counterpart():
    records = [[maps_of(text)] * 3 for text in ("the dog sleeps now", "the cat sleeps now", "the dog sleeps")]
    found = together(["x", "y", "z"], records)
    marked = [[word.text for word in side if word.differs] for side in found.words]
    assert marked == [["dog", "now"], ["cat"], []]
    assert [[found.texts[0][slice(*word.span)] for word in found.words[0]]] == [["the", "dog", "sleeps", "now"]]


def test_every_model_scores_every_translation(coarse, fine):
    found = compared_translations([coarse, fine], SOURCE)
    assert found.names == ("coarse", "fine")
    assert found.log_probs.shape == (2, 2)
    for index, translator in enumerate((coarse, fine)):
        best = translator.translate([SOURCE])[0]
        assert found.texts[index] == best.text
        assert found.log_probs[index, index] == pytest.approx(best.hypotheses[0].total, abs=1e-4)
    (other,) = fine.score([(SOURCE, found.texts[0])])
    read = other.log_probs if found.finished[0] else other.log_probs[:-1]
    assert found.log_probs[0, 1] == pytest.approx(sum(read), abs=1e-4)
    table = found.to_pandas()
    assert table.log_prob.tolist() == found.log_probs.ravel().tolist()


def test_the_same_pieces_are_read_as_they_were_found(coarse):
    other = with_change(coarse, read_side("coarse:without=cross.1.1"))
    pair = found_pair(coarse.translate([SOURCE])[0])
    found = forced_maps(other, pair)
    assert [token.id for token in found.predicts.tokens][: len(pair.target.ids)] == list(pair.target.ids)
    probe = Zeroed(coarse.model.config, [Head("cross", 0, 0)])
    np.testing.assert_array_equal(found.log_probs, record(coarse, pair, probe=probe).log_probs)


def test_other_languages_are_refused(coarse, exact):
    with pytest.raises(HeadscopeError, match="choose two of the same languages"):
        compared_translations([coarse, exact()], SOURCE)
