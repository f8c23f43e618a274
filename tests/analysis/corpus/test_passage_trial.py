import numpy as np
import pytest

from headscope.analysis.corpus.passage_trial import Omission, passage_trial
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from tests.toys import random_letters


@pytest.fixture(scope="module")
def found(reverser):
    texts = [(text, text[::-1]) for text in random_letters(60, 8, seed=3)]
    omissions = [Omission(source, target, target[: len(target) // 2]) for source, target in texts if len(source) > 8]
    return passage_trial(reverser, texts, pairs=12, omissions=omissions)


def area(found, *key: str) -> float:
    (match,) = [each.roc.area for each in found.found if (each.condition, each.of, each.fault, each.score) == key]
    return match


def test_what_is_told_apart(found):
    table = found.to_pandas()
    assert found.pairs == 12
    conditions = {"invented", "omitted", "other source", "source words lost", "target words lost", "given omissions"}
    assert set(table.condition) == conditions
    assert len(table) == 4 + 3 + len(conditions) * (4 + 3 + 1)
    assert ((table.low <= table.auc) & (table.auc <= table.high)).all()
    of_pieces = table[table.of == "pieces"]
    assert set(zip(of_pieces.condition, of_pieces.fault, strict=True)) == {("invented",) * 2, ("omitted",) * 2}
    pairs = table[table.of == "pairs"]
    assert (pairs.positives == pairs.negatives).all()


def test_a_model_that_reads_its_source_tells_another_one(found):
    assert area(found, "other source", "pairs", "invented", "probability") > 0.8
    assert area(found, "other source", "pairs", "invented", "suspicion") > 0.7


def test_curves_and_fall(found):
    curves = found.curves()
    some = curves.query("condition == 'omitted' and of == 'pieces' and score == 'coverage'")
    assert (some.false_positive.iloc[0], some.true_positive.iloc[-1]) == (0, 1)
    before, after, fall = found.fall
    assert fall == pytest.approx(before - after)
    assert np.isfinite(found.fall).all()


def test_the_same_seed_draws_the_same(reverser):
    texts = [(text, text[::-1]) for text in random_letters(40, 8, seed=4)]
    one, two = (passage_trial(reverser, texts, pairs=3, seed=seed) for seed in (0, 0))
    np.testing.assert_array_equal(one.to_pandas().auc, two.to_pandas().auc)


def test_too_little_text_and_cancelling(reverser):
    class Stop:
        def update(self, done, total):
            if done == 2:
                raise Cancelled

    with pytest.raises(HeadscopeError, match="only 0 pairs have 4 to 12 words a side: give more text"):
        passage_trial(reverser, [("a b", "b a")] * 9)
    texts = [(text, text[::-1]) for text in random_letters(40, 8, seed=4)]
    with pytest.raises(Cancelled):
        passage_trial(reverser, texts, pairs=3, progress=Stop())
