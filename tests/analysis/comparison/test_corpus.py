"""Several models over a test set."""

import numpy as np
import pytest
from sacrebleu import CHRF

from headscope.analysis.comparison.corpus import Outputs, compared_corpus, compared_outputs, outputs
from headscope.analysis.comparison.naming import read_side
from headscope.analysis.comparison.sides import with_change
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES, brief

TEXTS = [("a", "the dog sleeps"), ("b", "a cat runs"), ("a", "the dog sleeps"), ("c", "it rains")]
ONE = Outputs(("the dog sleeps", "a cat runs", "the dog sleeps", "it rains"), (-1.0, -2.0, -1.0, -3.0))
TWO = Outputs(("the dog sleeps", "a hat runs", "the dog sleeps", "all dry"), (-1.5, -9.0, -1.5, None))


def test_sentences_that_differ_most_come_first():
    found = compared_outputs(["x", "y"], [ONE, TWO], TEXTS, "en")
    assert (found.names, found.sources, found.same) == (("x", "y"), 3, 2)
    assert [each.index for each in found.ranked("outputs")] == [3, 1, 0]
    assert [each.index for each in found.ranked("log_prob")] == [1, 0]
    second = found.sentences[1]
    metric = CHRF()
    both = [
        metric.sentence_score(*each).score for each in (("a cat runs", ["a hat runs"]), ("a hat runs", ["a cat runs"]))
    ]
    assert second.likeness == pytest.approx(np.mean(both))
    assert second.spread == pytest.approx(7)
    assert found.sentences[0].likeness == 100
    assert np.isnan(found.sentences[3].spread)
    assert found.to_pandas()["output y"].tolist() == list(TWO.texts)


def test_more_than_two_are_as_unlike_as_the_most_unlike_pair():
    found = compared_outputs(["x", "y", "z"], [ONE, ONE, TWO], TEXTS, "en")
    pair = compared_outputs(["x", "z"], [ONE, TWO], TEXTS, "en")
    assert [each.likeness for each in found.sentences] == [each.likeness for each in pair.sentences]
    assert found.scores[1][0].p == 1.0


def test_models_are_asked_once_for_each_source(translator):
    model = brief(translator)
    texts = [*SENTENCES, SENTENCES[0]]
    found = outputs(model, texts)
    assert found.texts[0] == found.texts[-1] == model.translate([SENTENCES[0][0]])[0].text
    (scored,) = model.score([SENTENCES[1]])
    assert found.log_probs[1] == pytest.approx(sum(scored.log_probs), abs=1e-4)
    other = with_change(model, read_side("x:positionless"))
    compared = compared_corpus([model, other], texts)
    assert compared.names == (model.card.name, "x, no positions")
    assert [each.outputs[0] for each in compared.sentences] == list(found.texts)
    assert compared.sentences[2].outputs[1] == other.translate([SENTENCES[2][0]])[0].text


def test_what_cannot_be_compared_is_refused(translator, exact):
    with pytest.raises(HeadscopeError, match="same languages"):
        compared_corpus([translator, exact()], SENTENCES)
    with pytest.raises(HeadscopeError, match="needs two models"):
        compared_outputs(["x"], [ONE], TEXTS, "en")
