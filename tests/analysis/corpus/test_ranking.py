import numpy as np
import pytest

from headscope.analysis.attribution.agreement import agreement
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.faithfulness import faithfulness
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.corpus.ranking import rank_methods
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled

METHODS = ["attention", "occlusion", "input x gradient"]
TEXTS = [("a b c d", "e f"), ("g h i", "k"), ("a b c d", "f"), ("b", "c d e"), (" ", "a")]


def test_it_is_the_mean_over_sentences_best_first(exact):
    translator = exact()
    found = rank_methods(translator, TEXTS, METHODS, base="unknown")
    assert (found.sentences, found.sources, found.left_out) == (4, 3, 1)
    alone = [
        faithfulness(translator, sentence_pair(translator, *pair), found.methods, base="unknown", seed=seed).gains
        for seed, pair in enumerate(TEXTS[:4])
    ]
    means = np.mean([(alone[0] + alone[2]) / 2, alone[1], alone[3]], axis=0)
    np.testing.assert_allclose(found.comprehensiveness[0], means[:, 0], atol=1e-9)
    np.testing.assert_allclose(found.sufficiency[0], means[:, 1], atol=1e-9)
    assert (np.diff(found.comprehensiveness[0]) <= 0).all()
    np.testing.assert_allclose(found.lead[0], means[0, 0] - means[:, 0], atol=1e-9)
    assert not found.lead[:, 0].any()
    assert (found.comprehensiveness[1] <= found.comprehensiveness[0]).all()
    taus = [
        agreement(
            [
                attribute(translator, sentence_pair(translator, *pair), method, base="unknown")
                for method in found.methods
            ]
        ).tau
        for pair in TEXTS[:4]
    ]
    np.testing.assert_allclose(found.tau, np.mean(taus, axis=0), atol=1e-9)
    table = found.to_pandas()
    assert list(table.method) == list(found.methods)
    assert list(table.columns)[1:4] == ["comprehensiveness", "comprehensiveness_low", "comprehensiveness_high"]


def test_nothing_to_measure_is_refused(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match="none of the 1 sentence pairs"):
        rank_methods(translator, [(" ", "a")], METHODS)
    with pytest.raises(HeadscopeError, match="no method is chosen"):
        rank_methods(translator, TEXTS, [])


def test_it_can_be_cancelled(exact):
    class Stop:
        def update(self, done: int, total: int | None) -> None:
            if (done, total) == (1, 4):
                raise Cancelled

    with pytest.raises(Cancelled):
        rank_methods(exact(), TEXTS, METHODS, progress=Stop())
