"""The ranking that lies with a checkpoint."""

import numpy as np
import pytest

from headscope.analysis.corpus.faithfulness_study import (
    STUDY,
    faithfulness_study,
    load_faithfulness_study,
    save_faithfulness_study,
)
from headscope.analysis.corpus.ranking import rank_methods
from headscope.analysis.corpus.texts import Texts
from headscope.model.errors import HeadscopeError
from tests.analysis.corpus.studies import a_method, a_study

PAIRS = [("a b c d", "e f"), ("g h i", "k"), ("b", "c d e"), (" ", "a")]
METHODS = ["attention", "occlusion"]


def test_it_keeps_what_the_ranking_finds(exact, tmp_path):
    translator = exact()
    found = faithfulness_study(translator, Texts(PAIRS, "made up", "CC0", "nobody"), METHODS, orders=4)
    expected = rank_methods(translator, PAIRS, METHODS, orders=4)
    assert (found.sentences, found.sources, found.weights) == (3, 3, translator.weights_digest)
    assert tuple(each.name for each in found.methods) == expected.methods
    for name in ("comprehensiveness", "sufficiency", "lead"):
        kept = [(each.mean, each.low, each.high) for each in (getattr(method, name) for method in found.methods)]
        np.testing.assert_allclose(np.transpose(kept), getattr(expected, name), atol=5.1e-6)
    save_faithfulness_study(found, tmp_path)
    assert (tmp_path / STUDY).is_file()
    assert load_faithfulness_study(tmp_path) == found


def test_a_study_of_nothing_is_none(tmp_path):
    assert load_faithfulness_study(tmp_path) is None
    (tmp_path / STUDY).write_text('{"format": 1}', "utf-8")
    with pytest.raises(HeadscopeError, match="headscope faithfulness"):
        load_faithfulness_study(tmp_path)


@pytest.mark.parametrize("pairs", [[("a b", "c"), ("a b", "d")], [("a b", "c"), (" ", "d")]])
def test_one_source_has_no_interval(exact, pairs):
    with pytest.raises(HeadscopeError, match="source"):
        faithfulness_study(exact(), Texts(pairs, "", "", ""), METHODS, orders=2)


def test_what_cannot_be_told_from_the_first():
    study = a_study(
        a_method("one", (0.4, 0.3, 0.5), (0.0, 0.0, 0.0)),
        a_method("two", (0.3, 0.2, 0.4), (0.1, -0.01, 0.2)),
        a_method("three", (0.1, -0.1, 0.2), (0.3, 0.1, 0.4)),
    )
    assert [each.name for each in study.tied] == ["two"]
    assert study.better_than_random
    assert not a_study(a_method("one", (0.1, -0.1, 0.2), (0.0, 0.0, 0.0))).better_than_random
